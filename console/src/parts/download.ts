import { fileName } from './csv.ts';

/** Gives a file to the browser to keep. Characters that a file system refuses are left out of its name. */
export function downloadCsv(name: string, csv: string): void {
  const url = URL.createObjectURL(new Blob([csv], { type: 'text/csv' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `${fileName(name)}.csv`;
  link.click();
  URL.revokeObjectURL(url);
}
