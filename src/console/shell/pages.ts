import type { ComponentType } from 'preact';

/** A page of the console behind log-in. Its module is loaded when it is first shown. */
export interface PageEntry {
  /** Below `/console`, as wouter matches it: `/units/:id`. */
  readonly path: string;
  /** The label in the navigation; null: the page is reached from other pages. */
  readonly label: string | null;
  /** The permission of `me.permissions` without which it is not offered; null: everybody has it. */
  readonly permission: string | null;
  /** Whether it is about an organization. Without one, the browser is led to onboarding. */
  readonly needsOrganization: boolean;
  readonly load: () => Promise<{ readonly default: ComponentType }>;
}

/** Pages that are open to everybody: where people come in, and where the links of mails lead. */
export const entrances: readonly Pick<PageEntry, 'path' | 'load'>[] = [
  { path: '/login/callback/:provider', load: () => import('../enter/provider-callback-page.js') },
  { path: '/login/sso', load: () => import('../enter/sso-page.js') },
  { path: '/login/sso/:organization', load: () => import('../enter/sso-start-page.js') },
  { path: '/login/sso/:organization/callback', load: () => import('../enter/sso-callback-page.js') },
  { path: '/register', load: () => import('../enter/register-page.js') },
  { path: '/verify', load: () => import('../enter/verify-page.js') },
  { path: '/not-me', load: () => import('../enter/not-me-page.js') },
  { path: '/confirm-email', load: () => import('../enter/confirm-email-page.js') },
  { path: '/secure-account', load: () => import('../enter/secure-account-page.js') },
  { path: '/forgot-password', load: () => import('../enter/forgot-password-page.js') },
  { path: '/reset-password', load: () => import('../enter/reset-password-page.js') },
  { path: '/accept-invite', load: () => import('../enter/accept-invite-page.js') },
];

/** Leads people to their first chart. It stands outside of the shell. */
export const onboarding = { path: '/onboarding', load: () => import('../onboarding/onboarding-page.js') };

/** Where code hosts send the browser back to, each to another address. It stands outside of the shell, as onboarding does. */
export const appInstallation = {
  path: '/app-installation/:host?',
  load: () => import('../sources/app-installation-page.js'),
};

/** All pages behind log-in, in the order of the navigation. */
export const pages: readonly PageEntry[] = [
  {
    path: '/quarter',
    label: 'Your quarter',
    permission: 'analytics:read',
    needsOrganization: true,
    load: () => import('../quarter/quarter-page.js'),
  },
  {
    path: '/overview',
    label: 'Overview',
    permission: 'analytics:read',
    needsOrganization: true,
    load: () => import('../overview/overview-page.js'),
  },
  {
    path: '/delivery',
    label: 'Delivery',
    permission: 'analytics:read',
    needsOrganization: true,
    load: () => import('../delivery/delivery-page.js'),
  },
  {
    path: '/explore',
    label: 'Explore',
    permission: 'analytics:read',
    needsOrganization: true,
    load: () => import('../explore/explore-page.js'),
  },
  {
    path: '/work-units',
    label: 'Work units',
    permission: 'analytics:read',
    needsOrganization: true,
    load: () => import('../work-units/work-units-page.js'),
  },
  {
    path: '/sources',
    label: 'Sources',
    permission: 'sync:read',
    needsOrganization: true,
    load: () => import('../sources/sources-page.js'),
  },
  {
    path: '/sources/:id',
    label: null,
    permission: 'sync:read',
    needsOrganization: true,
    load: () => import('../sources/sync-page.js'),
  },
  {
    path: '/people',
    label: 'People',
    permission: 'members:read',
    needsOrganization: true,
    load: () => import('../people/people-page.js'),
  },
  {
    path: '/teams',
    label: 'Teams',
    permission: 'teams:read',
    needsOrganization: true,
    load: () => import('../teams/teams-page.js'),
  },
  {
    path: '/rules',
    label: 'Rules',
    permission: 'classification:read',
    needsOrganization: true,
    load: () => import('../rules/rules-page.js'),
  },
  {
    path: '/organization',
    label: 'Organization',
    permission: 'organization:read',
    needsOrganization: true,
    load: () => import('../organization/organization-page.js'),
  },
  {
    path: '/audit-log',
    label: 'Audit log',
    permission: 'audit:read',
    needsOrganization: true,
    load: () => import('../organization/audit-log-page.js'),
  },
  {
    path: '/api',
    label: 'API',
    permission: 'analytics:read',
    needsOrganization: true,
    load: () => import('../api/api-page.js'),
  },
  {
    path: '/service-tokens',
    label: 'Service tokens',
    permission: 'service_tokens:manage',
    needsOrganization: true,
    load: () => import('../service-tokens/service-tokens-page.js'),
  },
  {
    path: '/provisioning',
    label: 'Provisioning',
    permission: 'members:manage',
    needsOrganization: true,
    load: () => import('../provisioning/provisioning-page.js'),
  },
  {
    path: '/webhooks',
    label: 'Webhooks',
    permission: 'webhooks:manage',
    needsOrganization: true,
    load: () => import('../webhooks/webhooks-page.js'),
  },
  {
    path: '/accounts',
    label: 'Accounts',
    permission: 'users:manage',
    needsOrganization: false,
    load: () => import('../accounts/accounts-page.js'),
  },
  {
    path: '/accounts/organizations',
    label: null,
    permission: 'users:manage',
    needsOrganization: false,
    load: () => import('../accounts/organizations-page.js'),
  },
  {
    path: '/installation/audit-log',
    label: 'Server audit log',
    permission: 'users:manage',
    needsOrganization: false,
    load: () => import('../accounts/installation-audit-log-page.js'),
  },
  {
    path: '/account/activity',
    label: null,
    permission: null,
    needsOrganization: false,
    load: () => import('../account/activity-page.js'),
  },
  {
    path: '/account',
    label: 'Account',
    permission: null,
    needsOrganization: false,
    load: () => import('../account/account-page.js'),
  },
];
