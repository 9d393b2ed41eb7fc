import { render } from 'preact';
import { Shell } from './shell/shell.tsx';
import { applyTheme } from './shell/theme.ts';
import { texts } from './texts.ts';
import './styles/tokens.css';
import './styles/components.css';
import './styles/pages.css';

applyTheme();

const root = document.getElementById('root')!;
// Came with the digits of numbers in JSON, without which amounts would be floats.
if ('rawJSON' in JSON) render(<Shell />, root);
else root.textContent = texts.oldBrowser;
