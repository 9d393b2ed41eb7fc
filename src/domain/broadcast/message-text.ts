import { type ParseMode, visibleText } from './markup.ts';
import { MarkupError } from './markup-error.ts';
import { compileTemplate, isTemplate, TemplateError, type TemplatePlace, type TemplateUser } from './template.ts';

/** Somebody of whom all is known, to try templates on. */
const SAMPLE: TemplateUser = {
  user_id: 1,
  full_name: 'Ada Lovelace',
  username: 'ada',
  first_name: 'Ada',
  last_name: 'Lovelace',
  date_create: '2026-01-01 00:00:00',
  date_last_active: '2026-01-02 00:00:00',
  gender: 'f',
  is_bot: false,
  user_status: 'active',
  is_premium: true,
  language_code: 'en',
  timezone: 'UTC',
  custom_fields: {},
  addition_fields: {},
};

/** Why a template cannot be used; undefined: it can, or the text is none. */
export function templateProblem(text: string, place: TemplatePlace): string | undefined {
  if (!isTemplate(text)) return undefined;
  try {
    compileTemplate(text, place).render(SAMPLE);
    return undefined;
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return `the template is wrong: ${error.message}`;
  }
}

/**
 * Why a text cannot be sent; undefined: it can. The markup of a template, and how long it comes to be, is another one for
 * each recipient, so that is told when it is sent.
 * @param min,max UTF-16 code units without markup and the blanks around it, as the platform counts
 */
export function textProblem(
  text: string,
  mode: ParseMode | null,
  { min, max }: { readonly min: number; readonly max: number },
): string | undefined {
  if (isTemplate(text)) return templateProblem(text, mode ?? 'text');
  try {
    const { length } = visibleText(text, mode).trim();
    return length >= min && length <= max ? undefined : `must have ${min} to ${max} characters, and has ${length}`;
  } catch (error) {
    if (!(error instanceof MarkupError)) throw error;
    return `can't parse entities: ${error.message}`;
  }
}
