import { lazy } from 'react'
import { createBrowserRouter, redirect, type RouteObject } from 'react-router'
import { FirstLoad, FrameLoad, PageCrash } from './components/page-state.tsx'
import { pageCode } from './page-code.ts'
import { SessionGate } from './shell/session-gate.tsx'

const SecondFactorPage = lazy(async () => ({
  default: (await import('./pages/account/second-factor-gate.tsx')).SecondFactorGate,
}))

/** Pages in the frame. */
const pages: RouteObject[] = [
  { path: 'home', lazy: pageCode['/home'] },
  { path: 'alerts/:part?', lazy: pageCode['/alerts'] },
  { path: 'devices', lazy: pageCode['/devices'] },
  { path: 'wall', lazy: () => import('./pages/wall/wall-page.tsx') },
  { path: 'sessions', lazy: pageCode['/sessions'] },
  { path: 'recordings', lazy: pageCode['/recordings'] },
  { path: 'recordings/:recordingId', lazy: () => import('./pages/recordings/recording-page.tsx') },
  { path: 'batches', lazy: pageCode['/batches'] },
  { path: 'batches/:batchId', lazy: () => import('./pages/batches/batch-page.tsx') },
  { path: 'organize/:tab?', lazy: pageCode['/organize'] },
  { path: 'deploy', lazy: pageCode['/deploy'] },
  { path: 'first-steps', lazy: () => import('./pages/first-steps/first-steps-page.tsx') },
  { path: 'network', lazy: pageCode['/network'] },
  { path: 'service-accounts', lazy: pageCode['/service-accounts'] },
  { path: 'settings', lazy: pageCode['/settings'] },
  { path: 'settings/consent', lazy: () => import('./pages/settings/consent/consent-page.tsx') },
  { path: 'settings/recording', lazy: () => import('./pages/settings/recording/recording-page.tsx') },
  { path: 'settings/webhooks', lazy: () => import('./pages/settings/webhooks/webhooks-page.tsx') },
  { path: 'tenants', lazy: () => import('./pages/tenants/tenants-page.tsx') },
  { path: 'health-report', lazy: pageCode['/health-report'] },
  { path: 'server/:part?', lazy: pageCode['/server'] },
  { path: 'backup', lazy: pageCode['/backup'] },
  { path: 'people', lazy: pageCode['/people'] },
  { path: 'user-groups', lazy: pageCode['/user-groups'] },
  { path: 'rights/:part?', lazy: pageCode['/rights'] },
  { path: 'account', lazy: () => import('./pages/account/account-page.tsx') },
  { path: 'audit', lazy: pageCode['/audit'] },
  {
    path: 'devices/:deviceId/:tab?', // Shown by the workbench, which keeps its sessions alive.
    Component: () => null,
  },
  {
    path: '*',
    lazy: async () => ({ Component: (await import('./components/not-found.tsx')).NotFound }),
  },
]

/** Every page. Only what is not loaded lazily is in the first download: the session gate and the crash page. */
export const router = createBrowserRouter([
  {
    ErrorBoundary: PageCrash,
    HydrateFallback: FirstLoad,
    children: [
      { path: '/welcome', lazy: () => import('./pages/welcome/welcome-page.tsx') },
      { path: '/trust', lazy: () => import('./pages/trust/trust-page.tsx') },
      { path: '/network-test', lazy: () => import('./pages/network-test/network-test-page.tsx') },
      { path: '/sign-in/callback/:place', lazy: () => import('./pages/sign-in/callback/callback-page.tsx') },
      { path: '/sign-in', lazy: () => import('./pages/sign-in/sign-in-page.tsx') },
      // The address of links to one device.
      { path: '/device-access', lazy: () => import('./pages/device-access/device-access-page.tsx') },
      { path: '/shared-terminal', lazy: () => import('./pages/shared-terminal/shared-terminal-page.tsx') },
      // The address that invitations name.
      {
        path: '/invite-confirmation/:code',
        lazy: () => import('./pages/invite-confirmation/invite-confirmation-page.tsx'),
      },
      { path: '/sign-in/help', lazy: () => import('./pages/sign-in/help/help-page.tsx') },
      // The addresses that mails name.
      { path: '/unsubscribe', lazy: () => import('./pages/unsubscribe/unsubscribe-page.tsx') },
      { path: '/Account/ResetPassword', lazy: () => import('./pages/account/reset-password/reset-password-page.tsx') },
      {
        path: '/',
        HydrateFallback: FrameLoad,
        element: <SessionGate SecondFactorPage={SecondFactorPage} />,
        children: [
          {
            lazy: () => import('./shell/shell.tsx'),
            children: [
              { index: true, loader: () => redirect('/home') },
              {
                ErrorBoundary: PageCrash,
                lazy: () => import('./pages/devices/device/workbench.tsx'),
                children: [{ ErrorBoundary: PageCrash, children: pages }],
              },
            ],
          },
        ],
      },
    ],
  },
])
