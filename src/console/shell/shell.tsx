import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { DeletionBanner } from '../organization/deletion-banner.js';
import type { Me } from '../session/queries.js';
import { logOut } from '../session/session.js';
import { Toasts } from '../ui/toasts.js';
import { Brand } from './brand.js';
import { KeyboardHelp } from './keyboard.js';
import { pages } from './pages.js';
import { ThemeChoice } from './theme-choice.js';

/** What stands around every page behind log-in: skip link, navigation, account. */
export function Shell({ me, children }: { me: Me; children: ComponentChildren }): JSX.Element {
  const [location] = useLocation();
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    setOpen(false);
  }, [location]);
  return (
    <div class="shell">
      <a class="skip-link" href="#main">
        Skip to the content
      </a>
      <header class="chrome">
        <div class="top">
          <Brand />
          <button
            type="button"
            aria-expanded={isOpen}
            aria-controls="navigation"
            onClick={() => {
              setOpen(!isOpen);
            }}
          >
            Menu
          </button>
        </div>
        <div class="sidebar" id="navigation" data-open={isOpen}>
          <Brand />
          <Navigation me={me} location={location} />
          <div class="sidebar-foot">
            <ThemeChoice />
            <div class="small muted">
              <p title={me.email}>{me.email}</p>
              {me.org_name !== null && <p title={me.org_name}>{me.org_name}</p>}
            </div>
            <button
              type="button"
              onClick={() => {
                void logOut();
              }}
            >
              Log out
            </button>
          </div>
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        {me.org_id !== null && <DeletionBanner orgId={me.org_id} />}
        {children}
      </main>
      <KeyboardHelp />
      <Toasts />
    </div>
  );
}

function Navigation({ me, location }: { me: Me; location: string }): JSX.Element {
  const offered = pages.filter(
    ({ label, permission, needsOrganization }) =>
      label !== null &&
      (permission === null || me.permissions.includes(permission)) &&
      (!needsOrganization || me.org_id !== null),
  );
  return (
    <nav class="nav" aria-label="Pages">
      <ul>
        {offered.map(({ path, label }) => {
          const isHere = location === path || location.startsWith(`${path}/`);
          return (
            <li key={path}>
              <Link href={path} aria-current={isHere ? 'page' : undefined}>
                {label}
              </Link>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}
