import { useState } from 'react'
import { ChangePasswordForm } from '../../components/change-password-form.tsx'
import { en as t } from '../../strings/en.ts'
import classes from './account-page.module.css'
import { Section } from './section.tsx'

/** A form for a new password, empty again after each change. */
export function PasswordSection() {
  const [changes, setChanges] = useState(0)
  return (
    <Section title={t.common.password} hint={t.password.changeHint}>
      <div className={classes.narrow}>
        <ChangePasswordForm key={changes} onDone={() => setChanges(changes + 1)} />
      </div>
    </Section>
  )
}
