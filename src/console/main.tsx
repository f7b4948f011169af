import './styles/index.css';
import { render } from 'preact';
import { startSession } from './session/session.js';
import { App } from './shell/app.js';
import { startTheme } from './ui/theme.js';

startTheme();
void startSession();
const root = document.getElementById('app');
root?.replaceChildren(); // it says that the page has not loaded
if (root !== null) render(<App />, root);
