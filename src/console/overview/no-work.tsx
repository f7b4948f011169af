import { Link } from 'wouter-preact';
import { useMay } from '../session/queries.js';
import { useArrival } from '../session/setup.js';
import type { EmptyState } from '../ui/view.js';

/**
 * What an overview without figures says: data are on their way, or what to do about it.
 *
 * @param isEmpty whether the overview has no figures
 */
export function useNoWork(isEmpty: boolean): EmptyState {
  const maySync = useMay('sync:read');
  if (useArrival(isEmpty)) {
    return { title: 'Your data are being read', text: 'The charts appear here when the sync has ended.' };
  }
  if (!maySync) {
    return { title: 'No work in this period', text: 'Choose a longer period, or ask an admin to sync repositories.' };
  }
  return {
    title: 'No work in this period',
    text: 'Choose a longer period, or sync repositories. Work units appear after the first sync.',
    action: (
      <Link class="button primary" href="/sources">
        Go to Sources
      </Link>
    ),
  };
}
