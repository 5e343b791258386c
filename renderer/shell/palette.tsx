import { fold } from '../../shared/fold.ts'
import { useDebouncedValue } from '@mantine/hooks'
import { Spotlight, useSpotlight, type SpotlightActionData, type SpotlightActionGroupData } from '@mantine/spotlight'
import { IconLayoutRows, IconSearch, IconSunMoon, type Icon } from '@tabler/icons-react'
import { useLayoutEffect, useState } from 'react'
import { useNavigate } from 'react-router'
import { useIsAway } from '../hooks/use-live-state.ts'
import { useIsGuest } from '../hooks/use-is-guest.ts'
import { useSession } from '../hooks/use-session.ts'
import { colorSchemes, useTheme } from '../hooks/use-theme.ts'
import * as t from '../texts.ts'
import { isUsable } from '../components/actions.ts'
import { useDensity } from '../styles/preferences.ts'
import { typingDialog } from '../components/open-for-typing.ts'
import { densities } from './account-menu.tsx'
import { administrationActions, settingsEntries, type AdministrationEntry } from './palette-entries.ts'
import { shellCommands, type ShellDialog } from './commands.ts'
import { useOfferedPages } from './navigation.tsx'
import { paletteStore, selectFirstEntry } from './palette-store.ts'
import { useOrganizationEntries } from './use-organization-entries.tsx'
import { useDeviceEntries } from './use-device-entries.tsx'
import { usePeopleEntries } from './use-people-entries.tsx'
import { useRightsEntries } from './use-rights-entries.tsx'

const typingMs = 120

const action = (id: string, Icon: Icon, label: string, onClick: () => void): SpotlightActionData => ({
  id,
  label,
  leftSection: <Icon size={18} stroke={1.6} />,
  onClick,
})

/** Finds devices, pages and commands. The server searches the devices, so they are not filtered here. */
export function Palette({ onOpen }: { onOpen: (dialog: ShellDialog) => void }) {
  const navigate = useNavigate()
  const { can, signOut } = useSession()
  const [, setColorScheme] = useTheme()
  const [, setDensity] = useDensity()
  const isAway = useIsAway()
  const pages = useOfferedPages()
  const context = {
    isGuest: useIsGuest(),
    openPage: (path: string) => void navigate(path),
    openDialog: onOpen,
    signOut,
  }
  const [query, setQuery] = useState('')
  const [settled] = useDebouncedValue(query, typingMs)
  const { opened } = useSpotlight(paletteStore)
  const { here, recent, found, isFetching } = useDeviceEntries(settled, opened)
  const organized = useOrganizationEntries(query, opened)
  const people = usePeopleEntries(settled)
  const rights = useRightsEntries(settled)
  // Enter acts on the typed text: devices found for an earlier text are hidden.
  const isSettled = settled === query

  const matches = ({ label }: SpotlightActionData) => fold(label ?? '').includes(fold(query.trim()))
  const administration = (entries: readonly AdministrationEntry[]) =>
    entries
      .filter(({ permission }) => query.trim() !== '' && can(permission))
      .map(({ path, label, page, icon }) => ({
        ...action(path, icon, label, () => void navigate(path)),
        description: page,
      }))
      .filter(matches)
  const groups: SpotlightActionGroupData[] = [
    { group: t.visit.palette.here, actions: isSettled ? here : [] },
    { group: t.visit.palette.recent, actions: isSettled && query.trim() === '' ? recent : [] },
    { group: t.palette.devices, actions: isSettled ? found : [] },
    { group: t.organize.title, actions: organized },
    { group: t.palette.people, actions: isSettled ? [...rights, ...people] : [] },
    {
      group: t.palette.pages,
      actions: pages
        .map(({ path, label, icon }) => action(path, icon, label, () => void navigate(path)))
        .filter(matches),
    },
    { group: t.palette.settings, actions: administration(settingsEntries) },
    {
      group: t.palette.actions,
      actions: [
        ...administration(administrationActions),
        ...colorSchemes.map(({ value, label }) =>
          action(`theme-${value}`, IconSunMoon, t.palette.theme(label), () => setColorScheme(value)),
        ),
        ...densities.map(({ value, label }) =>
          action(`density-${value}`, IconLayoutRows, t.palette.density(label), () => setDensity(value)),
        ),
        ...shellCommands.flatMap((command) =>
          command.icon && isUsable(command, context)
            ? [action(command.name, command.icon, command.label, () => command.run(context))]
            : [],
        ),
      ].filter(matches),
    },
  ]
  const shown = groups.flatMap(({ actions }) => actions.map(({ id }) => id)).join(' ')
  // Before the next key, which may be Enter: the selected entry may have disappeared, and devices load later.
  useLayoutEffect(() => {
    if (shown) {
      selectFirstEntry()
    }
  }, [shown])
  return (
    <Spotlight
      store={paletteStore}
      shortcut={null}
      query={query}
      onQueryChange={setQuery}
      actions={groups.filter(({ actions }) => actions.length > 0)}
      filter={(_, actions) => actions}
      nothingFound={isFetching || !isSettled ? (isAway ? t.palette.waits : t.common.searching) : t.palette.nothing}
      scrollable
      attributes={{ content: { 'aria-label': t.shell.palette } }}
      transitionProps={typingDialog.transitionProps}
      overlayProps={{ ...typingDialog.overlayProps, backgroundOpacity: 0.3, blur: 0 }}
      maxHeight={420}
      // A scrollable list needs keyboard access.
      scrollAreaProps={{ viewportProps: { tabIndex: 0, role: 'group', 'aria-label': t.shell.palette } }}
      searchProps={{
        leftSection: <IconSearch size={18} stroke={1.6} />,
        placeholder: t.palette.placeholder,
        'aria-label': t.palette.placeholder,
      }}
    />
  )
}
