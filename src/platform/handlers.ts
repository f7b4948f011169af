import type { PlatformHandlers } from '../../generated/platform/operations.js';
import { listAuditLog } from './audit/list-audit-log.js';
import { changePassword } from './auth/change-password.js';
import { disownAccount } from './auth/disown-account.js';
import { forgotPassword } from './auth/forgot-password.js';
import { login } from './auth/login.js';
import { register } from './auth/register.js';
import { resendVerification } from './auth/resend-verification.js';
import { resetPassword } from './auth/reset-password.js';
import { verifyEmail } from './auth/verify-email.js';
import type { PlatformDependencies } from './dependencies.js';
import { createDemoData, getDemoData, removeDemoData } from './demo/demo-data.js';
import { connectIntegration } from './integrations/connect-integration.js';
import { disconnectIntegration } from './integrations/disconnect-integration.js';
import { listIntegrations } from './integrations/list-integrations.js';
import { testIntegration } from './integrations/test-integration.js';
import { acceptInvite } from './onboarding/accept-invite.js';
import { getOnboardingState } from './onboarding/get-onboarding-state.js';
import { acceptMyInvite, listMyInvites } from './onboarding/my-invites.js';
import { onboard } from './onboarding/onboard.js';
import { skipIntegration } from './onboarding/skip-integration.js';
import { getJwks, getLiveness, getMetrics, getReadiness } from './operations/operations.js';
import { changeMemberRole } from './organizations/change-member-role.js';
import { createInvite } from './organizations/create-invite.js';
import { listInvites } from './organizations/list-invites.js';
import { listMembers } from './organizations/list-members.js';
import { removeMember } from './organizations/remove-member.js';
import { revokeInvite } from './organizations/revoke-invite.js';
import { updateOrganization } from './organizations/update-organization.js';
import { listRepositories } from './repositories/list-repositories.js';
import { createServiceToken, rotateServiceToken } from './service-tokens/issue-service-token.js';
import { getCurrentServiceToken, listServiceTokens, revokeServiceToken } from './service-tokens/service-tokens.js';
import { endBrowserSession, refreshBrowserSession, startBrowserSession } from './sessions/browser-session.js';
import { logout } from './sessions/logout.js';
import { getMe, listMyOrganizations } from './sessions/me.js';
import { refreshTokens } from './sessions/refresh-tokens.js';
import { listSessions, revokeAllSessions, revokeSession } from './sessions/sessions.js';
import { switchOrganization } from './sessions/switch-organization.js';
import { updateMe } from './sessions/update-me.js';
import { validateToken } from './sessions/validate-token.js';
import { getSetupStatus } from './setup/get-setup-status.js';
import { cancelSyncRun } from './sync/cancel-sync-run.js';
import { createSyncConfig } from './sync/create-sync-config.js';
import { deleteSyncConfig } from './sync/delete-sync-config.js';
import { getSyncConfig, listSyncConfigs } from './sync/read-sync-configs.js';
import { getSyncRun, listSyncRuns } from './sync/read-sync-runs.js';
import { startSyncRun } from './sync/start-sync-run.js';
import { watchSyncRun } from './sync/watch-sync-run.js';
import { assignTeams, getTeamAssignment } from './teams/assignment.js';
import { createTeam, deleteTeam, updateTeam } from './teams/change-team.js';
import { getAuthors, importAuthors } from './classification/authors.js';
import { correctWorkUnit, deleteCorrection, listCorrections } from './classification/corrections.js';
import { getRules, importRules } from './classification/rules.js';
import { importTeams } from './teams/import-teams.js';
import { getTeam, listTeams } from './teams/read-teams.js';
import { updateSyncConfig } from './sync/update-sync-config.js';
import { createThreshold, deleteThreshold, listThresholds } from './thresholds/thresholds.js';
import {
  createWebhook,
  deleteWebhook,
  listWebhookDeliveries,
  listWebhooks,
  resendWebhookDelivery,
  rotateWebhookSecret,
  updateWebhook,
} from './webhooks/webhooks.js';
import { createView, deleteView, listViews, updateView } from './views/views.js';

/** Every operation of the Platform API. */
export const platformHandlers: PlatformHandlers<PlatformDependencies> = {
  acceptInvite,
  acceptMyInvite,
  assignTeams,
  cancelSyncRun,
  changeMemberRole,
  changePassword,
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
  importAuthors,
  getRules,
  importRules,
  listCorrections,
  correctWorkUnit,
  deleteCorrection,
  listAuditLog,
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
  skipIntegration,
  startSyncRun,
  watchSyncRun,
  switchOrganization,
  testIntegration,
  updateMe,
  updateOrganization,
  updateSyncConfig,
  updateTeam,
  createThreshold,
  deleteThreshold,
  listThresholds,
  createWebhook,
  deleteWebhook,
  listWebhookDeliveries,
  listWebhooks,
  resendWebhookDelivery,
  rotateWebhookSecret,
  updateWebhook,
  createView,
  deleteView,
  listViews,
  updateView,
  validateToken,
  verifyEmail,
};
