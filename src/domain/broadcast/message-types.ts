/** The methods of the platform's bot interface that broadcasts send by (interface.md, "Message content by type"). */
export const MESSAGE_TYPES = [
  'sendMessage',
  'sendPhoto',
  'sendVideo',
  'sendDocument',
  'sendAnimation',
  'sendAudio',
  'sendVoice',
  'sendMediaGroup',
] as const;

export type MessageType = (typeof MESSAGE_TYPES)[number];
