import type { PlatformHandlers } from '../../generated/platform/operations.js';
import { listUsers } from './identity/accounts/list-users.js';
import { updateUser } from './identity/accounts/update-user.js';
import { deleteAccount, deleteUser } from './identity/accounts/delete-account.js';
import { exportAccount } from './identity/accounts/export-account.js';
import { listAuditLog, listInstallationAuditLog, listMyAuditLog } from './tenancy/audit/list-audit-log.js';
import { streamAuditLog } from './tenancy/audit/stream-audit-log.js';
import { verifyEmailChange, cancelEmailChange, changeEmail } from './identity/auth/change-email.js';
import { changePassword } from './identity/auth/change-password.js';
import { disownAccount } from './identity/auth/disown-account.js';
import { forgotPassword } from './identity/auth/forgot-password.js';
import { login } from './identity/auth/login.js';
import { register } from './identity/auth/register.js';
import { resendVerification } from './identity/auth/resend-verification.js';
import { resetPassword } from './identity/auth/reset-password.js';
import { verifyEmail } from './identity/auth/verify-email.js';
import type { PlatformDependencies } from './dependencies.js';
import { createDemoData, getDemoData, removeDemoData } from './figures/demo/demo-data.js';
import { acceptGitlabEvent } from './sources/app-installations/accept-gitlab-event.js';
import { acceptHostEvent } from './sources/app-installations/accept-host-event.js';
import { connectAppInstallation } from './sources/app-installations/connect-app-installation.js';
import { startAppInstallation } from './sources/app-installations/start-app-installation.js';
import { connectIntegration } from './sources/integrations/connect-integration.js';
import { disconnectIntegration } from './sources/integrations/disconnect-integration.js';
import { listIntegrations } from './sources/integrations/list-integrations.js';
import { testIntegration } from './sources/integrations/test-integration.js';
import { acceptInvite } from './identity/onboarding/accept-invite.js';
import { disconnectIdentity, getMyIdentities } from './identity/providers/my-identities.js';
import { loginByProvider } from './identity/providers/login-by-provider.js';
import {
  getIdentityProviders,
  startIdentityLink,
  startProviderLogin,
} from './identity/providers/start-provider-login.js';
import { loginByPasskey, startPasskeyLogin } from './identity/mfa/login-by-passkey.js';
import { deletePasskey, registerPasskey, startPasskey, updatePasskey } from './identity/mfa/my-passkeys.js';
import { deleteTotp, getMfa, rotateRecoveryCodes, startTotp, verifyTotp } from './identity/mfa/my-mfa.js';
import { verifyMfa } from './identity/mfa/verify-mfa.js';
import { verifySession } from './identity/mfa/verify-session.js';
import { acceptSsoLogout } from './identity/sso/accept-sso-logout.js';
import { loginBySso } from './identity/sso/login-by-sso.js';
import { deleteSso, getSso } from './identity/sso/manage-sso.js';
import { getSsoByDomain, startSsoLink, startSsoLogin } from './identity/sso/start-sso-login.js';
import { updateSso } from './identity/sso/update-sso.js';
import { verifySsoDomain } from './identity/sso/verify-sso-domain.js';
import { getOnboardingState } from './identity/onboarding/get-onboarding-state.js';
import { acceptMyInvite, listMyInvites } from './identity/onboarding/my-invites.js';
import { onboard } from './identity/onboarding/onboard.js';
import { skipIntegration } from './identity/onboarding/skip-integration.js';
import { getJwks, getLiveness, getMetrics, getReadiness } from './server/operations/operations.js';
import { cancelOrganizationDeletion } from './tenancy/deletion/cancel-deletion.js';
import { deleteOrganization } from './tenancy/deletion/delete-organization.js';
import { listOrganizations } from './tenancy/installation/list-organizations.js';
import { changeMemberRole } from './tenancy/organizations/change-member-role.js';
import { createOrganization } from './tenancy/organizations/create-organization.js';
import { getOrganization } from './tenancy/organizations/get-organization.js';
import { transferOrganization } from './tenancy/organizations/transfer-organization.js';
import { createInvite } from './tenancy/organizations/create-invite.js';
import { listInvites } from './tenancy/organizations/list-invites.js';
import { listMembers } from './tenancy/organizations/list-members.js';
import { removeMember } from './tenancy/organizations/remove-member.js';
import { revokeInvite } from './tenancy/organizations/revoke-invite.js';
import { resetMemberMfa } from './tenancy/organizations/reset-member-mfa.js';
import { updateMfaRequirement } from './tenancy/organizations/update-mfa-requirement.js';
import { updateOrganization } from './tenancy/organizations/update-organization.js';
import { listRepositories } from './sources/repositories/list-repositories.js';
import { secureAccount } from './identity/security/secure-account.js';
import { createServiceToken, rotateServiceToken } from './identity/service-tokens/issue-service-token.js';
import {
  getCurrentServiceToken,
  listServiceTokens,
  revokeServiceToken,
} from './identity/service-tokens/service-tokens.js';
import { endBrowserSession, refreshBrowserSession, startBrowserSession } from './identity/sessions/browser-session.js';
import { logout } from './identity/sessions/logout.js';
import { getMe, listMyOrganizations } from './identity/sessions/me.js';
import { refreshTokens } from './identity/sessions/refresh-tokens.js';
import { listSessions, revokeAllSessions, revokeSession } from './identity/sessions/sessions.js';
import { switchOrganization } from './identity/sessions/switch-organization.js';
import { updateMe } from './identity/sessions/update-me.js';
import { validateToken } from './identity/sessions/validate-token.js';
import { getSetupStatus } from './tenancy/setup/get-setup-status.js';
import { cancelSyncRun } from './sources/sync-runs/cancel-sync-run.js';
import { createSyncConfig } from './sources/sync-runs/create-sync-config.js';
import { deleteSyncConfig } from './sources/sync-runs/delete-sync-config.js';
import { acceptCdevent, acceptCloudevent } from './sources/pushed-records/accept-events.js';
import { getPushProgress, pushRecords } from './sources/pushed-records/push-records.js';
import { getFreshness } from './sources/sync-runs/get-freshness.js';
import { getSyncConfig, listSyncConfigs } from './sources/sync-runs/read-sync-configs.js';
import { getSyncRun, listSyncRuns } from './sources/sync-runs/read-sync-runs.js';
import { startSyncRun } from './sources/sync-runs/start-sync-run.js';
import { watchSyncRun } from './sources/sync-runs/watch-sync-run.js';
import { assignTeams, getTeamAssignment } from './tenancy/teams/assignment.js';
import { createTeam, deleteTeam, updateTeam } from './tenancy/teams/change-team.js';
import { getAuthors, getAuthorSuggestions, importAuthors } from './figures/classification/authors.js';
import { getCalendar, updateCalendar } from './figures/classification/calendar.js';
import { listEnvironments } from './figures/classification/environments.js';
import { correctWorkUnit, deleteCorrection, listCorrections } from './figures/classification/corrections.js';
import { getRulePreview } from './figures/classification/rule-preview.js';
import { getRuleSuggestions } from './figures/classification/rule-suggestions.js';
import { getRules, importRules } from './figures/classification/rules.js';
import { importTeams } from './tenancy/teams/import-teams.js';
import { getTeam, listTeams } from './tenancy/teams/read-teams.js';
import { updateSyncConfig } from './sources/sync-runs/update-sync-config.js';
import { createThreshold, deleteThreshold, listThresholds } from './figures/thresholds/thresholds.js';
import {
  createWebhook,
  deleteWebhook,
  listAcceptedWebhookDeliveries,
  listWebhookDeliveries,
  listWebhooks,
  resendWebhookDelivery,
  rotateWebhookSecret,
  updateWebhook,
} from './messages/webhooks/webhooks.js';
import { testWebhook } from './messages/webhooks/test-webhook.js';
import { createView, deleteView, listViews, updateView } from './figures/views/views.js';
import { replaceScimUser, updateScimUser } from './identity/scim/change-user.js';
import { createScimUser } from './identity/scim/create-user.js';
import { deleteScimUser } from './identity/scim/delete-user.js';
import {
  createScimGroup,
  deleteScimGroup,
  getScimGroup,
  listScimGroups,
  replaceScimGroup,
  updateScimGroup,
} from './identity/scim/groups.js';
import { listProvisionedGroups, updateProvisionedGroup } from './identity/scim/provisioned-groups.js';
import { getScimUser, listScimUsers } from './identity/scim/read-users.js';
import {
  getScimServiceProviderConfig,
  listScimResourceTypes,
  listScimSchemas,
} from './identity/scim/service-provider.js';

/** Every operation of the Platform API. */
export const platformHandlers: PlatformHandlers<PlatformDependencies> = {
  acceptCdevent,
  acceptCloudevent,
  acceptGitlabEvent,
  acceptHostEvent,
  acceptInvite,
  acceptMyInvite,
  assignTeams,
  cancelSyncRun,
  changeMemberRole,
  changePassword,
  connectAppInstallation,
  connectIntegration,
  createDemoData,
  createInvite,
  createServiceToken,
  createSyncConfig,
  createTeam,
  deleteSyncConfig,
  deleteTeam,
  disconnectIntegration,
  disownAccount,
  forgotPassword,
  getCurrentServiceToken,
  getDemoData,
  getFreshness,
  getPushProgress,
  pushRecords,
  getJwks,
  getLiveness,
  getMe,
  getMetrics,
  getOnboardingState,
  getReadiness,
  getSetupStatus,
  getSyncConfig,
  getSyncRun,
  getTeam,
  getTeamAssignment,
  importTeams,
  getAuthors,
  getAuthorSuggestions,
  importAuthors,
  getCalendar,
  updateCalendar,
  getRulePreview,
  getRules,
  getRuleSuggestions,
  importRules,
  listCorrections,
  listEnvironments,
  correctWorkUnit,
  deleteCorrection,
  listAuditLog,
  listInstallationAuditLog,
  listMyAuditLog,
  listIntegrations,
  listInvites,
  listMembers,
  listMyInvites,
  listMyOrganizations,
  listRepositories,
  listServiceTokens,
  listSessions,
  listSyncConfigs,
  listSyncRuns,
  listTeams,
  login,
  getIdentityProviders,
  startProviderLogin,
  loginByProvider,
  startIdentityLink,
  getSso,
  updateSso,
  deleteSso,
  verifySsoDomain,
  getSsoByDomain,
  startSsoLogin,
  startSsoLink,
  loginBySso,
  acceptSsoLogout,
  getMyIdentities,
  disconnectIdentity,
  logout,
  onboard,
  refreshTokens,
  startBrowserSession,
  refreshBrowserSession,
  endBrowserSession,
  register,
  removeDemoData,
  removeMember,
  resendVerification,
  resetPassword,
  revokeAllSessions,
  revokeInvite,
  revokeServiceToken,
  revokeSession,
  rotateServiceToken,
  secureAccount,
  skipIntegration,
  startAppInstallation,
  startSyncRun,
  streamAuditLog,
  watchSyncRun,
  switchOrganization,
  testIntegration,
  updateMe,
  updateOrganization,
  updateMfaRequirement,
  resetMemberMfa,
  cancelOrganizationDeletion,
  createOrganization,
  getOrganization,
  listOrganizations,
  deleteOrganization,
  transferOrganization,
  updateSyncConfig,
  updateTeam,
  updateUser,
  deleteUser,
  deleteAccount,
  exportAccount,
  changeEmail,
  verifyEmailChange,
  cancelEmailChange,
  createThreshold,
  deleteThreshold,
  listThresholds,
  listUsers,
  createWebhook,
  deleteWebhook,
  listAcceptedWebhookDeliveries,
  listWebhookDeliveries,
  listWebhooks,
  resendWebhookDelivery,
  rotateWebhookSecret,
  testWebhook,
  updateWebhook,
  createView,
  deleteView,
  listViews,
  updateView,
  getMfa,
  startTotp,
  verifyTotp,
  deleteTotp,
  rotateRecoveryCodes,
  verifyMfa,
  verifySession,
  startPasskey,
  registerPasskey,
  updatePasskey,
  deletePasskey,
  startPasskeyLogin,
  loginByPasskey,
  validateToken,
  verifyEmail,
  getScimServiceProviderConfig,
  listScimResourceTypes,
  listScimSchemas,
  listScimUsers,
  getScimUser,
  createScimUser,
  replaceScimUser,
  updateScimUser,
  deleteScimUser,
  listScimGroups,
  getScimGroup,
  createScimGroup,
  replaceScimGroup,
  updateScimGroup,
  deleteScimGroup,
  listProvisionedGroups,
  updateProvisionedGroup,
};
