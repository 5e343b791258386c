import { Modal } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { CurrentUserDto } from '../../shared/dtos/user.ts'
import { signInAgain } from '../api/waiting-requests.ts'
import { api } from '../api/http.ts'
import { connect } from '../api/hubs.ts'
import { useIsWaiting } from '../hooks/use-is-waiting.ts'
import { en as t } from '../strings/en.ts'
import { SignInSteps } from '../features/sign-in/sign-in-steps.tsx'

/**
 * Sign-in form above the page of an expired session; the page below keeps its state and input. Not lazy-loaded, since
 * the server may be unreachable by then.
 */
export function SignInAgain({ user }: { user: CurrentUserDto }) {
  const isOpen = useIsWaiting(signInAgain)
  const client = useQueryClient()
  const handleSignedIn = async ({ id }: Pick<CurrentUserDto, 'id'>) => {
    if (id !== user.id) {
      // The page below belongs to another user.
      location.assign('/')
      return
    }
    connect()
    signInAgain.end(true)
    await client.invalidateQueries()
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
