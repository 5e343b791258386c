import { Modal, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { Outlet } from 'react-router'
import * as t from '../texts.ts'
import { isOwnWindow } from '../components/own-window.ts'
import { ChangePasswordForm } from '../components/change-password-form.tsx'
import { useIsAway } from '../hooks/use-live-state.ts'
import { useWholeTexts } from './use-whole-texts.ts'
import { About } from './about.tsx'
import { AlertToasts } from '../features/alerts/alert-toasts.tsx'
import { ChatToasts } from '../features/chat/chat-toasts.tsx'
import { ConfirmIdentity } from './confirm-identity.tsx'
import { ConnectionBanner } from './connection-banner.tsx'
import {
  BackupLine,
  DecommissionLine,
  FirstStepsLine,
  GuestLine,
  SecondFactorLine,
  ServersLine,
  StorageLine,
} from './notice-lines.tsx'
import { Navigation } from './navigation.tsx'
import { Notices } from './notices.tsx'
import { Palette } from './palette.tsx'
import classes from './shell.module.css'
import { SessionChips } from './session-chips.tsx'
import { ShortcutSheet } from './shortcut-sheet.tsx'
import type { ShellDialog } from './commands.ts'
import { ServerNotice } from './server-notice.tsx'
import { ServerToasts } from './server-toasts.tsx'
import { Toasts } from '../components/toasts.tsx'
import { TransferDock } from '../features/transfers/transfer-dock.tsx'
import { useShellKeys } from './use-shell-keys.ts'

interface ChangePasswordProps {
  isOpen: boolean
  onClose: () => void
}

const ChangePassword = ({ isOpen, onClose }: ChangePasswordProps) => (
  <Modal opened={isOpen} onClose={onClose} title={t.password.change}>
    <Stack>
      <Text c="dimmed">{t.password.changeHint}</Text>
      <ChangePasswordForm onDone={onClose} onCancel={onClose} />
    </Stack>
  </Modal>
)

/** Frame around every page of a signed-in user. */
export function Component() {
  const [dialog, setDialog] = useState<ShellDialog>()
  const close = () => setDialog(undefined)
  const isAway = useIsAway()
  useShellKeys(setDialog)
  useWholeTexts()
  return (
    <div className={classes.shell}>
      <a className={classes.skip} href="#page">
        {t.shell.skip}
      </a>
      {!isOwnWindow && <Navigation onOpen={setDialog} />}
      <div className={classes.side}>
        <ConnectionBanner />
        <main id="page" className={classes.page} tabIndex={-1} data-old={isAway || undefined}>
          <DecommissionLine />
          <StorageLine />
          <ServersLine />
          <ServerNotice />
          <Notices />
          <SecondFactorLine />
          <BackupLine />
          <GuestLine />
          <FirstStepsLine />
          <Outlet />
        </main>
        <Toasts />
        <SessionChips />
        <TransferDock />
      </div>
      <Palette onOpen={setDialog} />
      <About isOpen={dialog === 'about'} onClose={close} />
      <ChangePassword isOpen={dialog === 'password'} onClose={close} />
      <ConfirmIdentity />
      <ServerToasts />
      <ChatToasts />
      <AlertToasts />
      <ShortcutSheet isOpen={dialog === 'shortcuts'} onClose={close} />
    </div>
  )
}
