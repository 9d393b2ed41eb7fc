const KEY = 'theme';

export type Theme = 'system' | 'light' | 'dark';

/** The theme that was chosen in this browser. */
export function chosenTheme(): Theme {
  const chosen = window.localStorage.getItem(KEY);
  return chosen === 'light' || chosen === 'dark' ? chosen : 'system';
}

/** Shows the chosen theme; without a choice the system's counts. */
export function applyTheme(): void {
  const chosen = chosenTheme();
  if (chosen === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = chosen;
}

export function setTheme(theme: Theme): void {
  if (theme === 'system') window.localStorage.removeItem(KEY);
  else window.localStorage.setItem(KEY, theme);
  applyTheme();
  // Charts are drawn with the colours of the theme.
  window.dispatchEvent(new Event('themechange'));
}

export function toggleTheme(): void {
  const chosen = chosenTheme();
  const isDark = chosen === 'system' ? window.matchMedia('(prefers-color-scheme: dark)').matches : chosen === 'dark';
  setTheme(isDark ? 'light' : 'dark');
}
