import type { ComponentChildren, JSX } from 'preact';
import { Toasts } from '../ui/toasts.js';
import { Brand } from './brand.js';
import { Heading, type HeadingProps } from './page.js';

export interface EntranceProps extends HeadingProps {
  readonly wide?: boolean;
  readonly children: ComponentChildren;
}

/** The frame of pages outside of the shell: log in, register, verify, onboarding. */
export function Entrance({ title, intro, wide = false, children }: EntranceProps): JSX.Element {
  return (
    <div class="entrance">
      <header>
        <Brand />
      </header>
      <main id="main" class={wide ? 'wide' : ''}>
        <div class="card">
          <header class="stack">
            <Heading title={title} />
            {intro !== undefined && <p class="muted">{intro}</p>}
          </header>
          {children}
        </div>
      </main>
      <footer class="foot">
        <a href="/docs">API reference</a>
      </footer>
      <Toasts />
    </div>
  );
}
