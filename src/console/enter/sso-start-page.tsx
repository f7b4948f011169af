import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Link, useParams } from 'wouter-preact';
import { Entrance } from '../shell/entrance.js';
import { ProblemNote } from '../ui/problem-note.js';
import { troubleOf, type Trouble } from '../ui/trouble.js';
import { Skeleton } from '../ui/view.js';
import { leaveForProvider } from './sso-page.js';

/**
 * The link with which the members of an organization log in, and where log-ins begin that its provider initiates
 * (OpenID Connect Core 1.0, section 4). It always begins a new attempt, so an answer that nobody asked for is worth nothing.
 */
export default function SsoStartPage(): JSX.Element {
  const { organization } = useParams<{ organization: string }>();
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  useEffect(() => {
    const initiated = new URLSearchParams(location.hash.slice(1));
    const [iss, hint] = [initiated.get('iss'), initiated.get('login_hint')];
    leaveForProvider(organization, {
      return_to: pageOf(initiated.get('target_link_uri')),
      ...(iss !== null && { iss }),
      ...(hint !== null && { login_hint: hint }),
    }).catch((error: unknown) => {
      setTrouble(troubleOf(error));
    });
  }, [organization]);
  return (
    <Entrance title="Log in by SSO">
      {trouble === null ? (
        <Skeleton what="your identity provider" />
      ) : (
        <>
          <ProblemNote trouble={trouble} />
          <div class="actions">
            <Link href="/login" class="button primary">
              Log in in another way
            </Link>
          </div>
        </>
      )}
    </Entrance>
  );
}

/** The page of the console that an address names; null: it is none of this console. */
function pageOf(target: string | null): string | null {
  if (target === null || !URL.canParse(target)) return null;
  const { origin, pathname, search } = new URL(target);
  return origin === location.origin && pathname.startsWith('/console/')
    ? pathname.slice('/console'.length) + search
    : null;
}
