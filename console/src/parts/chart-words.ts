/** The texts of charts. */
export const chartWords = {
  show: (line: string) => `${line}: show or hide; press twice to see it alone`,
  before: 'The period before',
  running: 'Not over yet',
} as const;
