import './containers.css';
import { render } from 'preact';
import { startTheme } from '../ui/theme.js';
import { App } from './app.js';
import { startSession } from './session.js';

startTheme();
void startSession();
const root = document.getElementById('app');
root?.replaceChildren(); // it says that the page has not loaded
if (root !== null) render(<App />, root);
