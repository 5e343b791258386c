import { useSession } from '../../hooks/use-session.ts'
import { en as t } from '../../strings/en.ts'
import { Section } from './section.tsx'

/** Name and address of the account. */
export function ProfileSection() {
  const { user } = useSession()
  return (
    <Section title={t.account.profile}>
      <p>{user.email}</p>
    </Section>
  )
}
