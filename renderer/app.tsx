import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from 'react-router/dom'
import { signInAgain } from './api/waiting-requests.ts'
import { api, onMissingFactor, onSignedOut } from './api/http.ts'
import { disconnect } from './api/hubs.ts'
import { clearPersonData } from './api/clear-person-data.ts'
import { sessionQueries } from './api/session-queries.ts'
import { invalidate, queryClient } from './api/query-client.ts'
import { router } from './router.tsx'
import { signInPath } from './api/local-path.ts'
import { colorSchemeManager } from './styles/preferences.ts'
import { cssVariablesResolver, theme } from './styles/theme.ts'

const visitorPaths = ['/sign-in', '/welcome', '/shared-terminal']

/** Leads a visitor to the page that signs in, or makes the first account. */
async function leave(path: string) {
  const registration = await api.session.registration({}).catch(() => undefined)
  await router.navigate(registration?.isFirst && registration.isOpen ? '/welcome' : signInPath(path), { replace: true })
  clearPersonData()
  return false
}

/** The requests of a page are rejected together, and leave once. */
let leaving: Promise<boolean> | undefined

onSignedOut(() => {
  const { pathname, search } = router.state.location
  if (visitorPaths.includes(pathname)) {
    return Promise.resolve(false)
  }
  void disconnect()
  if (queryClient.getQueryData(sessionQueries.session.queryKey)) {
    return signInAgain.wait()
  }
  leaving ??= leave(pathname + search).finally(() => (leaving = undefined))
  return leaving
})

onMissingFactor(() => {
  // The session gate shows what is missing.
  if (queryClient.getQueryData(sessionQueries.session.queryKey)?.missingSecondFactor?.isRequired !== true) {
    void invalidate(sessionQueries.session.queryKey)
  }
})

export const App = () => (
  <MantineProvider
    theme={theme}
    cssVariablesResolver={cssVariablesResolver}
    colorSchemeManager={colorSchemeManager}
    defaultColorScheme="auto"
  >
    <QueryClientProvider client={queryClient}>
      {/* Without transitions: the next key or click must not find the page as it was before the last one. */}
      <RouterProvider router={router} useTransitions={false} />
    </QueryClientProvider>
  </MantineProvider>
)
