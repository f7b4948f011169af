import type { ComponentType } from 'preact';

/** A page of the console behind log-in. Its module is loaded when it is first shown. */
export interface PageEntry {
  /** Below `/console`, as wouter matches it: `/units/:id`. */
  readonly path: string;
  /** Its label in the navigation; null: it is reached from other pages. */
  readonly label: string | null;
  /** The permission of `me.permissions` without which it is not offered; null: everybody has it. */
  readonly permission: string | null;
  /** Whether it is about an organization. Without one, the browser is led to onboarding. */
  readonly needsOrganization: boolean;
  readonly load: () => Promise<{ readonly default: ComponentType }>;
}

/** All of them, in the order of the navigation. */
export const pages: readonly PageEntry[] = [
  {
    path: '/overview',
    label: 'Overview',
    permission: 'analytics:read',
    needsOrganization: true,
    load: () => import('../overview/overview-page.js'),
  },
];
