import { Button, Group, Stack } from '@mantine/core'
import { SingleCard } from '../../components/visitor-card.tsx'
import { usePageTitle } from '../../hooks/use-page-title.ts'
import { useSession } from '../../hooks/use-session.ts'
import * as t from '../../texts.ts'
import { PasskeysSection } from './passkeys-section.tsx'
import { TwoFactorSection } from './two-factor-section.tsx'

interface SecondFactorGateProps {
  /** Whether the second factor is still missing. The page stays afterwards, because it shows recovery codes. */
  isMissing: boolean
  onContinue: () => void
}

/** Shown in place of every page to a person without the second factor that the organization requires. */
export function SecondFactorGate({ isMissing, onContinue }: SecondFactorGateProps) {
  usePageTitle(t.secondFactor.title)
  const { signOut } = useSession()
  return (
    <SingleCard title={t.secondFactor.title} intro={isMissing ? t.secondFactor.intro : t.secondFactor.done} isWide>
      <Stack>
        <TwoFactorSection />
        <PasskeysSection />
        <Group justify="space-between">
          <Button variant="default" onClick={() => void signOut()}>
            {t.shell.signOut}
          </Button>
          <Button disabled={isMissing} onClick={onContinue}>
            {t.common.continue}
          </Button>
        </Group>
      </Stack>
    </SingleCard>
  )
}
