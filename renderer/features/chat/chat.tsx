import { Alert, Box, Button, Group, Skeleton, Stack, UnstyledButton } from '@mantine/core'
import { IconInfoCircle, IconMessageOff, IconRefresh, IconUser, IconUserOff } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { DesktopSession } from '../../../shared/dtos/desktop-session.ts'
import { chatWith, type ChatDesktop, useChats } from './chats.ts'
import { chatKey } from './chat-history.ts'
import { deviceQueries } from '../../api/device-queries.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { useIsLate } from '../../hooks/use-is-late.ts'
import { nameOfDevice } from '../../text/name-of-device.ts'
import * as t from '../../texts.ts'
import { usePageDevice, useTabIsShown } from '../../hooks/use-page-device.ts'
import classes from './chat.module.css'
import { Conversation } from './conversation.tsx'

interface DesktopListProps {
  desktops: readonly (ChatDesktop & { key: string; isGone: boolean })[]
  /** Number of unread answers, by chat key. */
  unread: ReadonlyMap<string, number>
  active: string
  onChoose: (key: string) => void
}

/** Desktops of a device with their users. */
const DesktopList = ({ desktops, unread, active, onChoose }: DesktopListProps) => (
  <Group align="stretch" component="nav" flex="none" gap={8} px="var(--page-side)" pt={12} aria-label={t.chat.desktops}>
    {desktops.map(({ key, session, isGone }) => {
      const count = unread.get(key) ?? 0
      const Mark = session.username === '' || isGone ? IconUserOff : IconUser
      return (
        <UnstyledButton
          key={key}
          className={classes.desktop}
          aria-current={key === active || undefined}
          data-gone={isGone || undefined}
          onClick={() => onChoose(key)}
        >
          <Mark size={16} stroke={1.6} aria-hidden />
          <Stack gap={0} component="span" flex={1} miw={0}>
            <bdi className="truncate">{t.chat.person(session.username)}</bdi>
            <bdi className="small muted truncate" title={session.name}>
              {session.name}
            </bdi>
          </Stack>
          {count > 0 && (
            <span className={classes.count}>
              <span aria-hidden>{count}</span>
              <span className="visually-hidden">{t.chat.unread(count)}</span>
            </span>
          )}
        </UnstyledButton>
      )
    })}
  </Group>
)

const lookAgainMs = 20_000

/** Chats with the users of the device's desktops. */
export default function Chats() {
  const { device } = usePageDevice()
  const isShown = useTabIsShown()
  const all = useChats()
  const [chosen, setChosen] = useState<string>()
  const { data, error, isPending, refetch, isFetching } = useQuery({
    ...deviceQueries.desktopSessions(device.id),
    enabled: isShown && device.isOnline,
    refetchInterval: lookAgainMs,
  })
  const isLate = useIsLate(isPending && device.isOnline)
  const sessions = device.isOnline ? (data ?? []) : []
  const keyOf = ({ name, username }: DesktopSession) => chatKey(device.id, name, username)
  const present = new Set(sessions.map(keyOf))
  // Chats with closed desktops stay readable.
  const earlier = all.filter((chat) => chat.deviceId === device.id && !present.has(chat.key))
  const desktops: (ChatDesktop & { key: string; isGone: boolean })[] = [
    ...sessions.map((session) => ({ session, key: keyOf(session), isGone: false })),
    ...earlier.map((chat) => ({
      session: {
        areRemoteControlPermissionsGranted: false,
        desktopName: '',
        name: chat.desktopName,
        processId: chat.processId,
        systemSessionId: chat.systemSessionId,
        type: 0 as const,
        username: chat.username,
      },
      key: chat.key,
      isGone: true,
    })),
  ].map((desktop) => ({ ...desktop, deviceId: device.id, deviceName: nameOfDevice(device) }))
  const unread = new Map(all.map((chat) => [chat.key, chat.unread]))
  const written = new Set(all.filter(({ lines }) => lines.length > 0).map(({ key }) => key))
  // Selects a chat with unread answers, else one with messages, else a desktop with a user.
  const first =
    desktops.find(({ key }) => (unread.get(key) ?? 0) > 0) ??
    desktops.find(({ key, isGone }) => written.has(key) && !isGone) ??
    desktops.find(({ session, isGone }) => session.username !== '' && !isGone) ??
    desktops[0]
  const active = desktops.find(({ key }) => key === chosen) ?? first
  if (active && chosen === undefined) {
    setChosen(active.key)
  }

  if (!active) {
    return error && device.isOnline ? (
      <Box px="var(--page-side)" py={20}>
        <ProblemAlert error={error} onRetry={() => void refetch()} />
      </Box>
    ) : isPending && device.isOnline ? (
      <Box px="var(--page-side)" py={20} aria-busy>
        {isLate && <Skeleton height={48} aria-label={t.chat.looking} />}
      </Box>
    ) : device.isOnline ? (
      <EmptyState icon={IconMessageOff} title={t.chat.nobody} hint={t.chat.nobodyHint}>
        <Button
          variant="default"
          leftSection={<IconRefresh size={16} stroke={1.6} />}
          loading={isFetching}
          onClick={() => void refetch()}
        >
          {t.common.refresh}
        </Button>
      </EmptyState>
    ) : (
      <EmptyState icon={IconMessageOff} title={t.common.deviceOffline} hint={t.chat.offlineHint} />
    )
  }
  return (
    <Stack gap={0} flex={1} mih={0}>
      {desktops.length > 1 && (
        <DesktopList desktops={desktops} unread={unread} active={active.key} onChoose={setChosen} />
      )}
      {!device.isOnline && (
        <Alert className={classes.notice} color="gray" role="status" icon={<IconInfoCircle size={18} />}>
          {t.common.deviceOffline}. {t.chat.offlineHint}
        </Alert>
      )}
      <Conversation
        key={active.key}
        desktop={active}
        chat={chatWith(active)}
        isGone={active.isGone && device.isOnline}
        isOnline={device.isOnline}
      />
    </Stack>
  )
}
