import { IconInfoCircle, IconKey, IconKeyboard, IconLogout, IconUserCircle } from '@tabler/icons-react'
import type { Action } from '../components/actions.ts'
import * as t from '../texts.ts'

/** Dialogs of the frame around every page. */
export type ShellDialog = 'about' | 'password' | 'shortcuts'

interface ShellContext {
  /** Whether this is the guest of a link, who has no account. */
  isGuest: boolean | undefined
  openPage: (path: string) => void
  openDialog: (dialog: ShellDialog) => void
  signOut: () => Promise<void>
}

/** Commands of the account menu and the palette. */
export const shellCommands: readonly Action<ShellContext>[] = [
  {
    name: 'account',
    label: t.account.title,
    icon: IconUserCircle,
    isOffered: ({ isGuest }) => !isGuest,
    run: ({ openPage }) => openPage('/account'),
  },
  {
    name: 'shortcuts',
    label: t.shell.shortcuts,
    icon: IconKeyboard,
    keys: ['?'],
    run: ({ openDialog }) => openDialog('shortcuts'),
  },
  { name: 'about', label: t.shell.about, icon: IconInfoCircle, run: ({ openDialog }) => openDialog('about') },
  {
    name: 'password',
    label: t.password.change,
    icon: IconKey,
    isOffered: ({ isGuest }) => !isGuest,
    run: ({ openDialog }) => openDialog('password'),
  },
  { name: 'sign-out', label: t.shell.signOut, icon: IconLogout, run: ({ signOut }) => void signOut() },
]
