const KEY = 'theme';

/** The theme that was chosen in this browser; without a choice the system's counts. */
export function applyTheme(): void {
  const chosen = window.localStorage.getItem(KEY);
  if (chosen !== null) document.documentElement.dataset['theme'] = chosen;
}

export function toggleTheme(): void {
  const { dataset } = document.documentElement;
  const isDark =
    dataset['theme'] === undefined
      ? window.matchMedia('(prefers-color-scheme: dark)').matches
      : dataset['theme'] === 'dark';
  dataset['theme'] = isDark ? 'light' : 'dark';
  window.localStorage.setItem(KEY, dataset['theme']);
  // Charts are drawn with the colours of the theme.
  window.dispatchEvent(new Event('themechange'));
}
