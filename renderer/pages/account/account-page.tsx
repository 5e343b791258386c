import { PageHead } from '../../components/page-head.tsx'
import { usePageTitle } from '../../hooks/use-page-title.ts'
import { en as t } from '../../strings/en.ts'
import classes from './account-page.module.css'
import { ExternalLoginsSection } from './external-logins-section.tsx'
import { PasskeysSection } from './passkeys-section.tsx'
import { PasswordSection } from './password-section.tsx'
import { ProfileSection } from './profile-section.tsx'

/** Everything that a person changes about their own account. Each section loads what it shows and saves by itself. */
export function Component() {
  usePageTitle(t.account.title)
  return (
    <>
      <PageHead title={t.account.title} intro={t.account.intro} />
      <div className={classes.content}>
        <ProfileSection />
        <PasswordSection />
        <PasskeysSection />
        <ExternalLoginsSection />
      </div>
    </>
  )
}
