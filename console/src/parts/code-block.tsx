import { useSignal } from '@preact/signals';
import { texts } from '../texts.ts';
import { copy } from './copy.ts';
import { Icon } from './icon.tsx';

export interface CodeBlockProps {
  /** The kind of the code, such as `Terminal`. */
  readonly name: string;
  readonly code: string;
}

/** Code to take along, with a button that copies it. */
export function CodeBlock({ name, code }: CodeBlockProps) {
  const said = useSignal('');
  return (
    <div class="code">
      <header>
        <span>{name}</span>
        <span class="btns">
          <span role="status">{said.value}</span>
          <button
            type="button"
            class="btn quiet small"
            onClick={async () => {
              said.value = await copy(code);
            }}
          >
            <Icon name="copy" /> {texts.copy}
          </button>
        </span>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: code that scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>
        <code>{code}</code>
      </pre>
    </div>
  );
}
