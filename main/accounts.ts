import { clipboard, dialog, type MenuItemConstructorOptions } from 'electron'
import type { RescueAccount, RescueAnswer, RescueRequest } from '../server/app.ts'

type Rescue = (request: RescueRequest) => Promise<RescueAnswer>
type Command = Exclude<RescueRequest['command'], 'list'>

const commands: Record<Command, { label: string; question(email: string): string; done(email: string): string }> = {
  'reset-password': {
    label: 'Reset Password…',
    question: (email) => `Set a temporary password for ${email}? Their sessions end.`,
    done: (email) => `Temporary password of ${email}`,
  },
  'disable-two-factor': {
    label: 'Turn Off Two-Factor Authentication…',
    question: (email) => `Turn off two-factor authentication of ${email}? Their sessions end.`,
    done: (email) => `Two-factor authentication of ${email} is off.`,
  },
  'make-administrator': {
    label: 'Make Administrator…',
    question: (email) => `Give ${email} every right on this server?`,
    done: (email) => `${email} is an administrator now.`,
  },
}

/** Asks natively, so that no page can answer (T25); every administrator is notified. */
async function run(rescue: Rescue, command: Command, email: string): Promise<void> {
  const { question, done } = commands[command]
  const asked = { type: 'question' as const, buttons: ['Cancel', 'Continue'], defaultId: 0, cancelId: 0 }
  const detail = 'It is logged, and every administrator is notified.'
  const { response } = await dialog.showMessageBox({ ...asked, message: question(email), detail })
  if (response !== 1) {
    return
  }
  const answer = await rescue({ command, email })
  if ('problem' in answer) {
    await dialog.showMessageBox({ type: 'error', message: answer.problem })
    return
  }
  const password = 'temporaryPassword' in answer ? answer.temporaryPassword : undefined
  if (password === undefined) {
    await dialog.showMessageBox({ type: 'info', message: done(email) })
    return
  }
  const shown = await dialog.showMessageBox({
    type: 'info',
    buttons: ['Close', 'Copy Password'],
    message: done(email),
    detail: `${password}\n\nIt is shown once, and must be changed at the next sign-in.`,
  })
  if (shown.response === 1) {
    await clipboard.writeText(password)
  }
}

const isPossible = (command: Command, { isAdministrator, hasTwoFactor, isInvited }: RescueAccount) =>
  !isInvited && (command === 'reset-password' || (command === 'disable-two-factor' ? hasTwoFactor : !isAdministrator))

/** Menu of the accounts of the running server, each with the commands that help its user back in. */
export async function accountItems(rescue: Rescue): Promise<MenuItemConstructorOptions[]> {
  const answer = await rescue({ command: 'list' })
  const accounts = 'accounts' in answer ? answer.accounts : []
  return accounts.map((account) => ({
    label: account.email.replaceAll('&', '&&'),
    submenu: (Object.keys(commands) as Command[]).map((command) => ({
      label: commands[command].label,
      enabled: isPossible(command, account),
      click: () => void run(rescue, command, account.email),
    })),
  }))
}
