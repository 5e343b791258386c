import { createBrowserRouter, redirect } from 'react-router'
import { FirstLoad, PageCrash } from './components/page-crash.tsx'
import { SessionGate } from './shell/session-gate.tsx'

/** Every page. Only what is not loaded lazily is in the first download: the session gate and the crash page. */
export const router = createBrowserRouter([
  {
    ErrorBoundary: PageCrash,
    HydrateFallback: FirstLoad,
    children: [
      { path: '/welcome', lazy: () => import('./pages/welcome/welcome-page.tsx') },
      { path: '/trust', lazy: () => import('./pages/trust/trust-page.tsx') },
      { path: '/network-test', lazy: () => import('./pages/trust/network-test-page.tsx') },
      { path: '/sign-in/callback/:place', lazy: () => import('./pages/provider-callback/callback-page.tsx') },
      { path: '/sign-in', lazy: () => import('./pages/sign-in/sign-in-page.tsx') },
      // The address that invitations name.
      { path: '/invite-confirmation/:code', lazy: () => import('./pages/invitation/invitation-page.tsx') },
      { path: '/sign-in/help', lazy: () => import('./pages/sign-in-help/sign-in-help-page.tsx') },
      // The address that mails name.
      { path: '/Account/ResetPassword', lazy: () => import('./pages/password-reset/reset-page.tsx') },
      {
        path: '/',
        Component: SessionGate,
        children: [
          {
            lazy: () => import('./shell/shell.tsx'),
            children: [
              { index: true, loader: () => redirect('/devices') },
              {
                ErrorBoundary: PageCrash,
                children: [
                  { path: 'devices', lazy: () => import('./pages/devices/devices-page.tsx') },
                  { path: 'sessions', lazy: () => import('./pages/sessions/sessions-page.tsx') },
                  { path: 'batches', lazy: () => import('./pages/batches/batches-page.tsx') },
                  { path: 'batches/:batchId', lazy: () => import('./pages/batches/batch-page.tsx') },
                  { path: 'organize/:tab?', lazy: () => import('./pages/organize/organize-page.tsx') },
                  { path: 'deploy', lazy: () => import('./pages/deploy/deploy-page.tsx') },
                  { path: 'first-steps', lazy: () => import('./pages/first-steps/first-steps-page.tsx') },
                  { path: 'network', lazy: () => import('./pages/network/network-page.tsx') },
                  {
                    path: 'service-accounts',
                    lazy: () => import('./pages/service-accounts/service-accounts-page.tsx'),
                  },
                  { path: 'settings', lazy: () => import('./pages/organization/organization-page.tsx') },
                  { path: 'tenants', lazy: () => import('./pages/tenants/tenants-page.tsx') },
                  { path: 'health-report', lazy: () => import('./pages/health/health-page.tsx') },
                  { path: 'server', lazy: () => import('./pages/server/server-page.tsx') },
                  { path: 'backup', lazy: () => import('./pages/backup/backup-page.tsx') },
                  { path: 'people', lazy: () => import('./pages/people/people-page.tsx') },
                  { path: 'user-groups', lazy: () => import('./pages/user-groups/user-groups-page.tsx') },
                  { path: 'rights/:part?', lazy: () => import('./pages/rights/rights-page.tsx') },
                  { path: 'account', lazy: () => import('./pages/account/account-page.tsx') },
                  { path: 'audit', lazy: () => import('./pages/audit/audit-page.tsx') },
                  { path: 'devices/:deviceId/:tab?', lazy: () => import('./pages/device/device-page.tsx') },
                  {
                    path: '*',
                    lazy: async () => ({ Component: (await import('./components/not-found.tsx')).NotFound }),
                  },
                ],
              },
            ],
          },
        ],
      },
    ],
  },
])
