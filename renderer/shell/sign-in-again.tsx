import { Modal } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { CurrentUserDto } from '../../shared/dtos/user.ts'
import { signInAgain } from '../api/hold.ts'
import { api } from '../api/http.ts'
import { connect } from '../api/hubs.ts'
import { useIsWaiting } from '../hooks/use-is-waiting.ts'
import { en as t } from '../strings/en.ts'
import { SignInSteps } from '../features/sign-in/sign-in-steps.tsx'

/**
 * The sign-in page over the page of a session that has ended: that one stays as it was left, with what was typed. It is
 * not loaded when it is needed: the server may be gone then, too.
 */
export function SignInAgain({ user }: { user: CurrentUserDto }) {
  const isOpen = useIsWaiting(signInAgain)
  const client = useQueryClient()
  const handleSignedIn = async ({ id }: Pick<CurrentUserDto, 'id'>) => {
    if (id !== user.id) {
      // What stands there is not for this person.
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
    // Perhaps somebody has signed in again in another tab.
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
