import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Icon, type IconName } from './icon.tsx';
import { Popover } from './popover.tsx';

export interface MenuItem {
  readonly text: string;
  readonly icon?: IconName;
  readonly onPick: () => void;
  /** It takes something away. */
  readonly isBad?: boolean;
  readonly disabled?: boolean;
}

export interface MenuProps {
  /** The name of the menu, such as `More`. */
  readonly label: string;
  readonly items: readonly MenuItem[];
  /** The content of the button; default: three dots. */
  readonly children?: ComponentChildren;
}

/** A button that opens a menu of actions. Arrow keys move in it. */
export function Menu({ label, items, children }: MenuProps) {
  const opener = useRef<HTMLButtonElement>(null);
  const isOpen = useSignal(false);
  const close = (): void => {
    isOpen.value = false;
  };
  return (
    <>
      <button
        ref={opener}
        type="button"
        class={children === undefined ? 'btn quiet only-icon' : 'btn'}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen.value}
        onClick={() => {
          isOpen.value = !isOpen.value;
        }}
      >
        {children ?? <Icon name="more" />}
      </button>
      {isOpen.value && (
        <Popover opener={opener.current!} onClose={close}>
          <MenuList
            items={items}
            onPick={(item) => {
              close();
              opener.current?.focus();
              item.onPick();
            }}
          />
        </Popover>
      )}
    </>
  );
}

interface ListProps {
  readonly items: readonly MenuItem[];
  readonly onPick: (item: MenuItem) => void;
}

function MenuList({ items, onPick }: ListProps) {
  const list = useRef<HTMLDivElement>(null);
  const buttons = (): HTMLButtonElement[] => [...list.current!.querySelectorAll('button')];
  // The layer is shown after the layout effects of its content; hidden buttons take no focus.
  useEffect(() => buttons()[0]?.focus(), []);
  return (
    <div
      ref={list}
      class="menu"
      role="menu"
      tabIndex={-1}
      onKeyDown={(event) => {
        const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (step === undefined) return;
        event.preventDefault();
        const all = buttons();
        const at = all.indexOf(document.activeElement as HTMLButtonElement);
        all[(at + step + all.length) % all.length]?.focus();
      }}
    >
      {items.map((item) => (
        <button
          key={item.text}
          type="button"
          role="menuitem"
          class={item.isBad === true ? 'option bad' : 'option'}
          disabled={item.disabled}
          onClick={() => onPick(item)}
        >
          {item.icon !== undefined && <Icon name={item.icon} />}
          <span>{item.text}</span>
        </button>
      ))}
    </div>
  );
}
