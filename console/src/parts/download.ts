import { fileName } from './csv.ts';

/** Gives a CSV file to the browser to keep. Characters that a file system refuses are left out of its name. */
export function downloadCsv(name: string, csv: string): void {
  saveFile(`${fileName(name)}.csv`, new Blob([csv], { type: 'text/csv' }));
}

/** Gives a file to the browser to keep. @param name one that a file system takes */
export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
