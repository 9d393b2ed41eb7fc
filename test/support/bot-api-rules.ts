import type { Opts } from '@grammyjs/types';
import { z } from 'zod';

/**
 * The parameters and limits of the methods that broadcasts use (https://core.telegram.org/bots/api). The platform
 * ignores unknown parameters; here an unknown parameter is an error of ours.
 */

const chat = {
  chat_id: z.number().int(),
  disable_notification: z.boolean().optional(),
  protect_content: z.boolean().optional(),
  allow_paid_broadcast: z.literal(true).optional(),
};
const parse_mode = z.enum(['HTML', 'MarkdownV2']).optional();
const button = z.strictObject({
  text: z.string().min(1),
  url: z.string().min(1).optional(),
  callback_data: z
    .string()
    .min(1)
    .refine((text) => Buffer.byteLength(text) <= 64)
    .optional(),
});
const reply_markup = z.strictObject({ inline_keyboard: z.array(z.array(button).min(1)).min(1) }).optional();
/** This limit counts the text before its entities are parsed: markup only makes it longer. */
const caption = z.string().max(4096).optional();
const file = z.string().min(1);
const captioned = { ...chat, caption, parse_mode, reply_markup };
const media = z.array(z.strictObject({ type: z.enum(['photo', 'video']), media: file, caption, parse_mode }));

export const RULES = {
  sendMessage: z.strictObject({ ...chat, text: z.string().min(1).max(16_384), parse_mode, reply_markup }),
  sendPhoto: z.strictObject({ ...captioned, photo: file }),
  sendVideo: z.strictObject({ ...captioned, video: file }),
  sendDocument: z.strictObject({ ...captioned, document: file }),
  sendAnimation: z.strictObject({ ...captioned, animation: file }),
  sendAudio: z.strictObject({ ...captioned, audio: file }),
  sendVoice: z.strictObject({ ...captioned, voice: file }),
  sendMediaGroup: z.strictObject({ ...chat, media: media.min(2).max(10) }),
  pinChatMessage: z.strictObject({
    chat_id: z.number().int(),
    message_id: z.number().int().positive(),
    disable_notification: z.boolean().optional(),
  }),
};

export type Method = keyof typeof RULES;
/** Parameters in which the rules and the published types of the interface differ. There are none. */
type Parameters<M extends Method> = keyof z.infer<(typeof RULES)[M]>;
type Demanded<T> = { [K in keyof T]-?: undefined extends T[K] ? never : K }[keyof T];
type Wrong = {
  [M in Method]: Exclude<Parameters<M>, keyof Opts<never>[M]> | Exclude<Demanded<Opts<never>[M]>, Parameters<M>>;
}[Method];
/** @public The compiler checks it. */
export const AGREED: [Wrong] extends [never] ? true : Wrong = true;

/** The field of a message that holds its file. */
export const FILE_FIELDS: Partial<Record<Method, string>> = {
  sendPhoto: 'photo',
  sendVideo: 'video',
  sendDocument: 'document',
  sendAnimation: 'animation',
  sendAudio: 'audio',
  sendVoice: 'voice',
};
