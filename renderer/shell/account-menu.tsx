import { Menu, SegmentedControl, Text, UnstyledButton } from '@mantine/core'
import { IconUserCircle } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from 'react-router'
import { sessionQueries } from '../api/session-queries.ts'
import { accountQueries } from '../api/account-queries.ts'
import { shownKeys } from '../components/actions.ts'
import { useIsGuest } from '../hooks/use-is-guest.ts'
import { useSession } from '../hooks/use-session.ts'
import { colorSchemes, useTheme } from '../hooks/use-theme.ts'
import * as t from '../texts.ts'
import { useDensity, type Density } from '../styles/preferences.ts'
import { shellCommands, type ShellDialog } from './commands.ts'
import classes from './shell.module.css'

export const densities: { value: Density; label: string }[] = [
  { value: 'compact', label: t.shell.compact },
  { value: 'comfortable', label: t.shell.comfortable },
]

/** Menu with the settings and commands of the signed-in user. */
export function AccountMenu({ onOpen }: { onOpen: (dialog: ShellDialog) => void }) {
  const { user, signOut } = useSession()
  const { data: guest } = useQuery(sessionQueries.guest)
  const { data: preferences } = useQuery({ ...accountQueries.preferences, enabled: guest === null })
  const name = guest?.displayName ?? (preferences?.userDisplayName || user.email)
  const navigate = useNavigate()
  const [colorScheme, setColorScheme] = useTheme()
  const [density, setDensity] = useDensity()
  const context = {
    isGuest: useIsGuest(),
    openPage: (path: string) => void navigate(path),
    openDialog: onOpen,
    signOut,
  }
  return (
    <Menu position="right-end" width={280} withinPortal>
      <Menu.Target>
        <UnstyledButton className={classes.entry} aria-label={t.shell.account(name)}>
          <IconUserCircle size={18} stroke={1.6} aria-hidden />
          <span className={classes.label}>{name}</span>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {name}
          {name !== user.email && !guest && <Text size="xs">{user.email}</Text>}
        </Menu.Label>
        <div style={{ padding: '0 12px 8px' }}>
          <Text size="xs" c="dimmed" mb={4}>
            {t.shell.theme}
          </Text>
          <SegmentedControl
            fullWidth
            size="xs"
            aria-label={t.shell.theme}
            data={colorSchemes}
            value={colorScheme}
            onChange={setColorScheme}
          />
          <Text size="xs" c="dimmed" mt={8} mb={4}>
            {t.shell.density}
          </Text>
          <SegmentedControl
            fullWidth
            size="xs"
            aria-label={t.shell.density}
            data={densities}
            value={density}
            onChange={setDensity}
          />
        </div>
        <Menu.Divider />
        {shellCommands
          .filter(({ isOffered }) => isOffered?.(context) ?? true)
          .map((command) => (
            <Menu.Item
              key={command.name}
              leftSection={command.icon && <command.icon size={16} />}
              rightSection={command.keys && <kbd>{shownKeys(command).join(' ')}</kbd>}
              onClick={() => command.run(context)}
            >
              {command.label}
            </Menu.Item>
          ))}
      </Menu.Dropdown>
    </Menu>
  )
}
