import { liveState } from './api/hubs.ts'

/** Code of the pages in the navigation, by path. */
export const pageCode = {
  '/home': () => import('./pages/home/home-page.tsx'),
  '/alerts': () => import('./pages/alerts/alerts-page.tsx'),
  '/devices': () => import('./pages/devices/devices-page.tsx'),
  '/sessions': () => import('./pages/sessions/sessions-page.tsx'),
  '/recordings': () => import('./pages/recordings/recordings-page.tsx'),
  '/batches': () => import('./pages/batches/batches-page.tsx'),
  '/organize': () => import('./pages/organize/organize-page.tsx'),
  '/deploy': () => import('./pages/deploy/deploy-page.tsx'),
  '/people': () => import('./pages/people/people-page.tsx'),
  '/user-groups': () => import('./pages/user-groups/user-groups-page.tsx'),
  '/rights': () => import('./pages/rights/rights-page.tsx'),
  '/settings': () => import('./pages/settings/settings-page.tsx'),
  '/network': () => import('./pages/network/network-page.tsx'),
  '/service-accounts': () => import('./pages/service-accounts/service-accounts-page.tsx'),
  '/server': () => import('./pages/server/server-page.tsx'),
  '/backup': () => import('./pages/backup/backup-page.tsx'),
  '/health-report': () => import('./pages/health-report/health-report-page.tsx'),
  '/audit': () => import('./pages/audit/audit-page.tsx'),
}

export type PagePath = keyof typeof pageCode

/**
 * Loads the code of a page ahead of the click, which reports a failure. Not while the server is away: in some browsers
 * code that failed to load once fails until the page is reloaded.
 */
export function loadAhead(path: PagePath) {
  if (liveState().state !== 'reconnecting') {
    pageCode[path]().catch(() => {})
  }
}
