import { Box } from '@mantine/core'
import { useState } from 'react'
import { PageHead } from '../../components/page-head.tsx'
import { usePageTitle } from '../../hooks/use-page-title.ts'
import * as t from '../../texts.ts'
import classes from './account-page.module.css'
import { ExternalLoginsSection } from './external-logins-section.tsx'
import { NotificationsSection } from './notifications-section.tsx'
import { PasskeysSection } from './passkeys-section.tsx'
import { PreferencesSection } from './preferences-section.tsx'
import { ProfileSection } from './profile-section.tsx'
import { SignedInDevicesSection } from './signed-in-devices-section.tsx'
import { TokensSection } from './tokens-section.tsx'
import { TwoFactorSection } from './two-factor-section.tsx'
import { ChangePasswordForm } from '../../components/change-password-form.tsx'
import { Section } from './section.tsx'

/** A form for a new password, empty again after each change. */
function PasswordSection() {
  const [changes, setChanges] = useState(0)
  return (
    <Section title={t.common.password} hint={t.password.changeHint}>
      <Box maw={400}>
        <ChangePasswordForm key={changes} onDone={() => setChanges(changes + 1)} />
      </Box>
    </Section>
  )
}

/** Page of the user's own account. Each section loads and saves its own data. */
export function Component() {
  usePageTitle(t.account.title)
  return (
    <>
      <PageHead title={t.account.title} intro={t.account.intro} />
      <div className={classes.content}>
        <ProfileSection />
        <PasswordSection />
        <TwoFactorSection />
        <PasskeysSection />
        <ExternalLoginsSection />
        <TokensSection />
        <SignedInDevicesSection />
        <NotificationsSection />
        <PreferencesSection />
      </div>
    </>
  )
}
