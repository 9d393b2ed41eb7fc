import { useSignal } from '@preact/signals';
import type { KnownEvent } from '../parts/catalog.ts';
import { Drawer } from '../parts/drawer.tsx';
import { eventOptions } from '../parts/event-options.ts';
import { Icon } from '../parts/icon.tsx';
import { Picker } from '../parts/picker.tsx';
import { Seg } from '../parts/seg.tsx';
import { eventFigure, type Figure, fixedFigures, type Measure, MOST_FIGURES } from './figures.ts';
import { words } from './words.ts';

interface FiguresDrawerProps {
  readonly figures: readonly Figure[];
  readonly events: readonly KnownEvent[];
  readonly onChange: (ids: readonly string[]) => void;
  readonly onClose: () => void;
}

/** Chooses the figures of the dashboard and their order, for this bot in this browser. */
export function FiguresDrawer({ figures, events, onChange, onClose }: FiguresDrawerProps) {
  const ids = figures.map(({ id }) => id);
  const measure = useSignal<Measure>('revenue');
  const move = (at: number, to: number): void => onChange(ids.toSpliced(at, 1).toSpliced(to, 0, ids[at]!));
  const others = fixedFigures(events).filter(({ id }) => !ids.includes(id));
  const seen = events.filter(({ count }) => count > 0);
  const add = (id: string): void => {
    if (!ids.includes(id)) onChange([...ids, id]);
  };
  return (
    <Drawer title={words.choose} sub={words.chooseSub} onClose={onClose}>
      <ol class="chosen">
        {figures.map(({ id, name }, at) => (
          <li key={id}>
            <bdi class="cut" title={name}>
              {name}
            </bdi>
            <span class="btns">
              <Step label={words.up(name)} icon="up" disabled={at === 0} onPress={() => move(at, at - 1)} />
              <Step
                label={words.down(name)}
                icon="down"
                disabled={at === ids.length - 1}
                onPress={() => move(at, at + 1)}
              />
              <Step
                label={words.remove(name)}
                icon="close"
                disabled={ids.length === 1}
                onPress={() => onChange(ids.toSpliced(at, 1))}
              />
            </span>
          </li>
        ))}
      </ol>
      {ids.length >= MOST_FIGURES ? (
        <p class="quiet-text">{words.mostFigures(MOST_FIGURES)}</p>
      ) : (
        <>
          {others.length > 0 && (
            <>
              <h3>{words.addFixed}</h3>
              <p class="btns">
                {others.map(({ id, name }) => (
                  <button key={id} type="button" class="btn small" onClick={() => add(id)}>
                    <Icon name="plus" /> {name}
                  </button>
                ))}
              </p>
            </>
          )}
          <h3>{words.addEvent}</h3>
          <p>
            <Seg
              label={words.measure}
              value={measure.value}
              of={words.measures}
              onPick={(picked) => {
                measure.value = picked;
              }}
            />
          </p>
          <Picker
            label={words.event}
            value=""
            options={eventOptions(seen)}
            onPick={(event) => add(eventFigure(Number(event), measure.value))}
          >
            <b>{words.pickEvent}</b>
            <Icon name="down" />
          </Picker>
        </>
      )}
    </Drawer>
  );
}

interface StepProps {
  readonly label: string;
  readonly icon: 'up' | 'down' | 'close';
  readonly disabled: boolean;
  readonly onPress: () => void;
}

function Step({ label, icon, disabled, onPress }: StepProps) {
  return (
    <button
      type="button"
      class={`btn quiet small only-icon ${icon}`}
      aria-label={label}
      disabled={disabled}
      onClick={onPress}
    >
      <Icon name={icon === 'close' ? 'close' : 'down'} />
    </button>
  );
}
