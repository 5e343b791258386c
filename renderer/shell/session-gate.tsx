import { Modal, useMantineColorScheme } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { usePrefetchQuery, useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useEffect, useMemo, useState, type ComponentType } from 'react'
import { Outlet, useNavigate } from 'react-router'
import type { PermissionName } from '../../shared/access.ts'
import { forgetChats, startChats } from '../features/chat/chats.ts'
import { api, leave, statusOf } from '../api/http.ts'
import { connect, disconnect } from '../api/hubs.ts'
import { forgetPageKey } from '../api/page-key.ts'
import { forgetUploads, restoreUploads } from '../features/transfers/kept-uploads.ts'
import { transfers } from '../features/transfers/transfers.ts'
import { clearPersonData } from '../api/clear-person-data.ts'
import { beforeSignOut } from '../api/sign-out.ts'
import { followAlerts } from '../api/alert-queries.ts'
import { followDeviceUpdates } from '../api/device-updates.ts'
import { accountQueries } from '../api/account-queries.ts'
import { sessionQueries } from '../api/session-queries.ts'
import { queryClient } from '../api/query-client.ts'
import { serverQueries } from '../api/server-queries.ts'
import { abandonUploads } from '../features/transfers/begin-upload.ts'
import { colorSchemes } from '../hooks/use-theme.ts'
import { SessionContext } from '../hooks/use-session.ts'
import { FrameLoad, ServerSilent } from '../components/page-state.tsx'
import type { CurrentUserDto } from '../../shared/dtos/user.ts'
import { startAfresh } from '../api/start-afresh.ts'
import { signInAgain } from '../api/waiting-requests.ts'
import { useIsWaiting } from './use-is-waiting.ts'
import * as t from '../texts.ts'
import { SignInSteps } from '../features/sign-in/sign-in-steps.tsx'

/**
 * Sign-in form above the page of an expired session; the page below keeps its state and input. Not lazy-loaded, since
 * the server may be unreachable by then.
 */
function SignInAgain({ user }: { user: CurrentUserDto }) {
  const isOpen = useIsWaiting(signInAgain)
  const handleSignedIn = async ({ id }: Pick<CurrentUserDto, 'id'>) => {
    if (id !== user.id) {
      startAfresh()
      return
    }
    connect()
    signInAgain.end(true)
    await queryClient.invalidateQueries()
  }
  useEffect(() => {
    if (!isOpen) {
      return
    }
    // The user may have signed in again in another tab.
    const look = () => void api.visitor.me({}).then(handleSignedIn, () => {})
    window.addEventListener('focus', look)
    return () => window.removeEventListener('focus', look)
  })
  return (
    <Modal.Root
      opened={isOpen}
      onClose={() => {}}
      fullScreen
      closeOnEscape={false}
      zIndex={400}
      transitionProps={{ duration: 0 }}
    >
      <Modal.Content aria-label={t.signIn.title}>
        <Modal.Body h="100%" p={0}>
          <SignInSteps intro={t.signIn.ended} email={user.email} onSignedIn={handleSignedIn} />
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}

const ConfirmIdentity = lazy(async () => ({ default: (await import('./confirm-identity.tsx')).ConfirmIdentity }))

interface SessionGateProps {
  /** Page in place of all others for a person who needs a second factor first; stays until it is left. */
  SecondFactorPage: ComponentType<{ isMissing: boolean; onContinue: () => void }>
}

/** Renders pages for signed-in users only; api/http.ts redirects everyone else to the sign-in page. */
export function SessionGate({ SecondFactorPage }: SessionGateProps) {
  const navigate = useNavigate()
  const { data, failureReason } = useQuery(sessionQueries.session)
  // Lines above the page, which would push it down later; the guest decides whether pages read alerts.
  usePrefetchQuery(sessionQueries.guest)
  usePrefetchQuery(accountQueries.notices)
  usePrefetchQuery(serverQueries.serverAlert)
  const isFactorMissing = data?.missingSecondFactor?.isRequired === true
  const [isAtGate, setIsAtGate] = useState(false)
  if (isFactorMissing && !isAtGate) {
    setIsAtGate(true)
  }
  const isWorking = data !== undefined && !isAtGate

  useEffect(() => {
    if (!isWorking) {
      return
    }
    connect()
    const stops = [followDeviceUpdates(), followAlerts()]
    return () => stops.forEach((stop) => stop())
  }, [isWorking])

  const { setColorScheme } = useMantineColorScheme()
  const themeMode = data?.themeMode
  useEffect(() => {
    const scheme = colorSchemes.find(({ value }) => value === themeMode?.toLowerCase())
    if (scheme) {
      setColorScheme(scheme.value)
    }
  }, [themeMode, setColorScheme])

  const userId = data?.user.id
  useEffect(() => (userId === undefined ? undefined : startChats(userId)), [userId])
  useEffect(() => {
    if (userId !== undefined) {
      restoreUploads(userId)
    }
  }, [userId])

  const session = useMemo(
    () =>
      data && {
        user: data.user,
        dateLanguage: data.dateLanguage,
        can: (permission: PermissionName) => data.permissions.has(permission),
        signOut: () =>
          leave(async () => {
            // Leave every page first: a page that still sends requests would get a 401.
            await navigate('/sign-in')
            const problems = await Promise.all([...beforeSignOut].map((finish) => finish()))
            transfers.endAll()
            abandonUploads(forgetUploads())
            await disconnect()
            forgetChats()
            // Without its key, a session that could not be ended is of no use.
            await api.auth.logout({}).catch(() => {})
            forgetPageKey()
            clearPersonData()
            for (const message of problems.filter((problem) => problem !== undefined)) {
              notifications.show({ message, color: 'danger', autoClose: 30_000 })
            }
          }),
      },
    [data, navigate],
  )

  if (!session) {
    return failureReason && statusOf(failureReason) !== 401 ? <ServerSilent /> : <FrameLoad />
  }
  return (
    <SessionContext value={session}>
      {isAtGate ? (
        <Suspense fallback={<FrameLoad />}>
          <SecondFactorPage isMissing={isFactorMissing} onContinue={() => setIsAtGate(false)} />
          <ConfirmIdentity />
        </Suspense>
      ) : (
        <Outlet />
      )}
      <SignInAgain user={session.user} />
    </SessionContext>
  )
}
