import type { JSX } from 'preact';
import { useStore } from '../session/store.js';
import { theme, themes } from '../ui/theme.js';

const labels = { system: 'System', light: 'Light', dark: 'Dark' } as const;

/** Chooses between light, dark, and what the system says. */
export function ThemeChoice(): JSX.Element {
  const chosen = useStore(theme);
  return (
    <div class="segments" role="group" aria-label="Theme">
      {themes.map((each) => (
        <button
          type="button"
          key={each}
          aria-pressed={each === chosen}
          onClick={() => {
            theme.set(each);
          }}
        >
          {labels[each]}
        </button>
      ))}
    </div>
  );
}
