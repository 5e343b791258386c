import { Alert, Button } from '@mantine/core'
import { IconFingerprint, IconLock } from '@tabler/icons-react'
import type { CurrentUserDto } from '../../../shared/dtos/user.ts'
import { isDismissed } from '../../api/passkeys.ts'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { en as t } from '../../strings/en.ts'
import { usePasskeySignIn } from './use-passkey-sign-in.ts'

/** Button to sign in with a passkey; hidden where passkeys do not work. */
export function PasskeyEntry({ onSignedIn }: { onSignedIn: (user: CurrentUserDto) => Promise<void> }) {
  const { isOffered, begin, isPending, error, refusal } = usePasskeySignIn(onSignedIn)
  if (!isOffered) {
    return null
  }
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconFingerprint size={18} />}
        loading={isPending}
        onClick={begin}
        fullWidth
      >
        {t.passkeys.signIn}
      </Button>
      {error && !isDismissed(error) && <ProblemAlert error={error} title={t.passkeys.failed} />}
      {error && isDismissed(error) && (
        <Alert color="gray" role="alert">
          {t.passkeys.dismissed}
        </Alert>
      )}
      {refusal && (
        <Alert color="danger" icon={<IconLock size={18} />} role="alert">
          {refusal.isDisabled
            ? t.signIn.disabled
            : refusal.requiresPasswordChange
              ? t.passkeys.passwordChange
              : t.passkeys.unconfirmed}
        </Alert>
      )}
    </>
  )
}
