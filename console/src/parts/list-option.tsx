import { Icon, type IconName } from './icon.tsx';

export interface ListOptionProps {
  /** The search field names its active option by it. */
  readonly id: string;
  /** Stands above the option, where a group begins. */
  readonly heading: string | undefined;
  readonly icon?: IconName;
  readonly label: string;
  readonly small?: string | undefined;
  /** Whether the keys of the search field stand on it. */
  readonly isCurrent: boolean;
  readonly onPick: () => void;
}

/** An option of a list below a search field. */
export function ListOption({ id, heading, icon, label, small, isCurrent, onPick }: ListOptionProps) {
  return (
    <>
      {heading !== undefined && (
        <p class="group" role="presentation">
          {heading}
        </p>
      )}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the search field above */}
      <div
        id={id}
        class="option"
        role="option"
        aria-selected={isCurrent}
        tabIndex={-1}
        onPointerDown={(event) => event.preventDefault()}
        onClick={onPick}
      >
        {icon !== undefined && <Icon name={icon} />}
        <span>
          <bdi>{label}</bdi>
          {small !== undefined && small !== label && <small>{small}</small>}
        </span>
      </div>
    </>
  );
}
