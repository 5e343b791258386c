import { Button, Group, Stack, Text } from '@mantine/core'
import { IconDeviceDesktop, IconEye, IconMouse, IconRefresh } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { IconButton } from '../../components/icon-button.tsx'
import type { DesktopSession } from '../../../shared/dtos/desktop-session.ts'
import { viewer } from '../../api/hubs.ts'
import { problemText } from '../../components/problem-alert.tsx'
import { nameOfDevice } from '../../text/name-of-device.ts'
import * as t from '../../texts.ts'
import { describeDesktop } from './desktops.ts'
import { previewOf, usePictureAddress } from './previews.ts'
import { usePageDevice, useTabIsShown } from '../../hooks/use-page-device.ts'
import classes from './cards.module.css'

const remoteDesktop = 1
const macOs = 3

function Preview({ desktop }: { desktop: DesktopSession }) {
  const { device, can } = usePageDevice()
  const isShown = useTabIsShown()
  const { hasPreview } = describeDesktop(desktop)
  const isPossible = hasPreview && can('device.desktop-preview.read')
  const { data, error, isFetching, refetch } = useQuery(previewOf(device, desktop.processId, isShown && isPossible))
  const address = usePictureAddress(data)
  const [isBroken, setIsBroken] = useState(false)
  const shown = address !== undefined && !isBroken
  return (
    <div className={classes.preview}>
      {shown ? (
        <img
          src={address}
          alt={t.control.preview(desktop.username || nameOfDevice(device))}
          onError={() => setIsBroken(true)}
        />
      ) : (
        <Stack gap={8} align="center" justify="center" h="100%" p={16} c="dimmed" ta="center">
          <IconDeviceDesktop size={36} stroke={1.2} aria-hidden />
          {isPossible && (
            <span className="small">
              {error ? `${t.control.previewFailed}: ${problemText(error)}` : t.control.previewLoading}
            </span>
          )}
        </Stack>
      )}
      {isPossible && (
        <IconButton
          label={t.control.previewRefresh}
          icon={<IconRefresh size={14} stroke={1.6} />}
          className={classes.refresh}
          variant="default"
          loading={isFetching}
          onClick={() => {
            setIsBroken(false)
            void refetch()
          }}
        />
      )}
    </div>
  )
}

interface SessionCardProps {
  desktop: DesktopSession
  /** Chosen last on this device. */
  prefersViewOnly: boolean
  onChoose: (desktop: DesktopSession, isViewOnly: boolean) => void
}

export function SessionCard({ desktop, prefersViewOnly, onChoose }: SessionCardProps) {
  const { device, can } = usePageDevice()
  const { title, notes, isShowable } = describeDesktop(desktop)
  const canInteract = can('device.remote-control.interact')
  const asking = useMutation({
    mutationFn: async () => {
      const { isSuccess, reason } = await viewer.RequestRemoteControlPermission2({
        deviceId: device.id,
        targetProcessId: desktop.processId,
      })
      if (!isSuccess) {
        throw new Error(reason ?? t.control.refused)
      }
    },
  })
  const who = desktop.username || t.control.somebody
  return (
    <li className={classes.card}>
      <Preview desktop={desktop} />
      <div className={classes.facts}>
        <h2 className={classes.who}>{who}</h2>
        <p className="muted small">
          {desktop.type === remoteDesktop ? t.control.rdp : t.control.console} · {title}
          {desktop.desktopName && ` · ${desktop.desktopName}`}
        </p>
        {notes.map((note) => (
          <p key={note} className={isShowable ? 'muted small' : classes.problem}>
            {note}
          </p>
        ))}
        {!isShowable && notes.length === 0 && <p className={classes.problem}>{t.control.unavailableHint}</p>}
      </div>
      <Group gap={8}>
        {isShowable ? (
          <>
            {canInteract && (
              <Button
                variant={prefersViewOnly ? 'default' : 'filled'}
                leftSection={<IconMouse size={16} stroke={1.6} />}
                onClick={() => onChoose(desktop, false)}
              >
                {t.control.control}
              </Button>
            )}
            <Button
              variant={canInteract && !prefersViewOnly ? 'default' : 'filled'}
              leftSection={<IconEye size={16} stroke={1.6} />}
              onClick={() => onChoose(desktop, true)}
            >
              {t.control.viewOnly}
            </Button>
          </>
        ) : (
          <>
            <Text c="dimmed">{t.control.unavailable}</Text>
            {desktop.processId > 0 && device.platform === macOs && (
              <Button variant="default" loading={asking.isPending} onClick={() => asking.mutate()}>
                {t.control.askPermission}
              </Button>
            )}
          </>
        )}
      </Group>
      {asking.isSuccess && <p className="muted small">{t.control.askedPermission}</p>}
      {asking.error && <p className={classes.problem}>{asking.error.message}</p>}
    </li>
  )
}
