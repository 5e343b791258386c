import { Group, Text } from '@mantine/core'
import type { SignInHelpDto } from '../../../shared/api/appliance-entry.ts'
import { CopyButton } from '../../components/copy-button.tsx'
import { en as t } from '../../strings/en.ts'
import classes from '../../components/command.module.css'

interface AskForHelpProps {
  help: SignInHelpDto
  command: 'reset-password' | 'disable-two-factor'
  email: string
  /** Sentence that names the person to ask, and for what. */
  ask: string
}

/** An address that is safe to paste into any shell; others are replaced by an example. */
const shellSafe = (email: string) => (/^[\w.+-]+@[\w.-]+$/.test(email) ? email : 'you@example.com')

/** Names the people who can help, with the command for an only administrator. */
export function AskForHelp({ help, command, email, ask }: AskForHelpProps) {
  const line = `${help.command} ${command} ${shellSafe(email)}`
  return (
    <div>
      <Text>{ask}</Text>
      <Text mt="sm">
        {t.signInHelp.onlyAdministrator} {help.hasWindow && t.signInHelp.inWindow}{' '}
        {help.hasWindow ? t.signInHelp.orCommand : t.signInHelp.command}
      </Text>
      <Group align="center" wrap="nowrap" mt="xs">
        <pre className={classes.command} tabIndex={0} aria-label={t.signInHelp.commandLabel} style={{ flex: 1 }}>
          {line}
        </pre>
        <CopyButton text={line} />
      </Group>
    </div>
  )
}
