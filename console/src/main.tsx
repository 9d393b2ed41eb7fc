import { render } from 'preact';
import { Shell } from './shell.tsx';
import { texts } from './texts.ts';
import './style.css';

const root = document.getElementById('root')!;
// Came with the digits of numbers in JSON, without which amounts would be floats.
if ('rawJSON' in JSON) render(<Shell />, root);
else root.textContent = texts.oldBrowser;
