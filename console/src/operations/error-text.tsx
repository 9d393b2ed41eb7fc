import { words } from './words.ts';

/** Longer errors are cut, and the whole is one press away. */
const SHOWN = 240;

/** An error of the service. A validator repeats its text for each event of a commit: equal lines are shown once. */
export function ErrorText({ text }: { readonly text: string }) {
  const short = [...new Set(text.split(/\n|(?<=\.) (?=[A-Z])/).map((line) => line.trim()))].join('\n');
  if (short.length <= SHOWN) return <div class="failure">{short}</div>;
  return (
    <div class="failure">
      {short.slice(0, SHOWN)}…
      <details>
        <summary>{words.wholeError}</summary>
        <pre>{text}</pre>
      </details>
    </div>
  );
}
