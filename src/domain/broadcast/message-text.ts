import { type ParseMode, visibleText } from './markup.ts';
import { MarkupError } from './markup-error.ts';
import { isTemplate, TemplateError } from './template.ts';
import { checkTemplate } from './template-check.ts';

/** Why a template cannot be used; undefined: it can, or the text is none. */
export function templateProblem(text: string): string | undefined {
  if (!isTemplate(text)) return undefined;
  try {
    checkTemplate(text);
    return undefined;
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return `the template is wrong: ${error.message}`;
  }
}

/**
 * Why a text cannot be sent; undefined: it can. The markup of a template, and how long it comes to be, is another one for
 * each recipient, so that is told when it is sent.
 * @param min,max code points without markup and the blanks around it, as the platform counts
 */
export function textProblem(
  text: string,
  mode: ParseMode | null,
  { min, max }: { readonly min: number; readonly max: number },
): string | undefined {
  if (isTemplate(text)) return templateProblem(text);
  try {
    const { length } = [...visibleText(text, mode).trim()];
    return length >= min && length <= max ? undefined : `must have ${min} to ${max} characters, and has ${length}`;
  } catch (error) {
    if (!(error instanceof MarkupError)) throw error;
    return `can't parse entities: ${error.message}`;
  }
}
