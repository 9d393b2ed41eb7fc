import { render } from 'preact';
import { Shell } from './shell.tsx';
import './style.css';

render(<Shell />, document.getElementById('root')!);
