import { Choice } from '../parts/pages.tsx';
import type { Program } from './data.ts';
import { words } from './words.ts';

interface UnitChoiceProps {
  readonly program: Program;
  readonly value: string;
}

/** The unit whose amounts order a list: amounts of different units have no order. */
export function UnitChoice({ program: { units }, value }: UnitChoiceProps) {
  const of = { ...Object.fromEntries(units.map(({ unit_id, code }) => [unit_id, code])), null: words.noUnit };
  return <Choice label={words.unit} name="unit" of={of} value={value} />;
}
