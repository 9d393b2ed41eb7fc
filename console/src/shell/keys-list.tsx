import { setSingleKeys, singleKeys } from './keys.ts';
import { words } from './layer-words.ts';

/** All keys, and the choice to do without single ones. */
export function KeysList() {
  return (
    <div class="stack">
      <dl class="facts keys">
        {words.list.map(({ keys, does }) => (
          <div key={does}>
            <dt>
              {keys.map((key) => (
                <kbd class="kbd" key={key}>
                  {key}
                </kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <label class="check">
        <input
          type="checkbox"
          checked={singleKeys.value}
          onChange={(event) => setSingleKeys(event.currentTarget.checked)}
        />
        <span>
          {words.single}
          <small>{words.singleHint}</small>
        </span>
      </label>
    </div>
  );
}
