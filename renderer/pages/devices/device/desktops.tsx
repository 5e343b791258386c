import { Button, Group, Modal, Skeleton, UnstyledButton } from '@mantine/core'
import { IconDeviceDesktop, IconPhoto, IconRefresh } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { DesktopSession } from '../../../../shared/dtos/desktop-session.ts'
import { Section } from '../../../components/device-facts.tsx'
import { problemText } from '../../../components/problem-alert.tsx'
import { RelativeTime } from '../../../components/relative-time.tsx'
import { useIsLate } from '../../../hooks/use-is-late.ts'
import * as t from '../../../texts.ts'
import { desktopsOf, mostDesktops } from '../../../features/control/desktops.ts'
import { takePicture, usePictureAddress } from '../../../features/control/previews.ts'
import { usePageDevice, useTabIsShown } from '../../../hooks/use-page-device.ts'
import classes from './overview.module.css'

const rdp = 1

/** Takes a screenshot on request only, so that users are not watched without a reason. */
function Preview({ desktop }: { desktop: DesktopSession }) {
  const { device } = usePageDevice()
  const [isLarge, setIsLarge] = useState(false)
  const take = useMutation({
    mutationFn: async () => ({
      picture: await takePicture(device, desktop.processId),
      at: new Date().toISOString(),
    }),
  })
  const [taken, setTaken] = useState<{ picture: Blob; at: string }>()
  const address = usePictureAddress(taken?.picture)
  const handleTake = () => take.mutate(undefined, { onSuccess: setTaken })
  const name = desktop.name || desktop.desktopName
  return (
    <div className={classes.preview}>
      {address && (
        <>
          <UnstyledButton aria-label={t.visit.desktops.enlarge} onClick={() => setIsLarge(true)}>
            <img src={address} alt={t.visit.desktops.picture(name)} />
          </UnstyledButton>
          <Modal opened={isLarge} onClose={() => setIsLarge(false)} title={name} size="90vw">
            <img className={classes.large} src={address} alt={t.visit.desktops.picture(name)} />
          </Modal>
        </>
      )}
      <Group gap="6px 10px" mt={6}>
        <Button
          variant="default"
          size="compact-sm"
          loading={take.isPending}
          disabled={!device.isOnline}
          leftSection={taken ? <IconRefresh size={14} /> : <IconPhoto size={14} />}
          onClick={handleTake}
        >
          {taken ? t.visit.desktops.again : t.visit.desktops.show}
        </Button>
        {taken && (
          <span className="small muted">
            {t.visit.desktops.taken} <RelativeTime at={taken.at} />
          </span>
        )}
        {take.error && (
          <span role="alert" className={`${classes.problem} small`}>
            {problemText(take.error)}
          </span>
        )}
      </Group>
    </div>
  )
}

/** Desktops of the device with user, kind and state. */
export function DesktopsSection() {
  const { device, can } = usePageDevice()
  const isShown = useTabIsShown()
  const { data, error, isPending } = useQuery(desktopsOf(device, isShown))
  const isLate = useIsLate(device.isOnline && isPending)
  return (
    <Section title={t.visit.desktops.title}>
      {!device.isOnline && <p className="muted">{t.visit.desktops.offline}</p>}
      {isLate && <Skeleton height={44} />}
      {device.isOnline && error && (
        <p role="alert" className={classes.problem}>
          {t.visit.desktops.failed}: {error.message}
        </p>
      )}
      {device.isOnline && data?.length === 0 && <p className="muted">{t.visit.desktops.none}</p>}
      {device.isOnline && data && (
        <ul className={classes.desktops}>
          {data.slice(0, mostDesktops).map((desktop) => (
            <li key={desktop.processId}>
              <IconDeviceDesktop size={18} stroke={1.6} aria-hidden />
              <div className={classes.desktop}>
                <span>{desktop.username || t.visit.desktops.nobody}</span>
                <span className="small muted">
                  {[
                    desktop.type === rdp ? t.visit.desktops.rdp : t.visit.desktops.console,
                    desktop.name,
                    !desktop.areRemoteControlPermissionsGranted && t.visit.desktops.asks,
                  ]
                    .filter(Boolean)
                    .join(' · ')}
                </span>
                {can('device.desktop-preview.read') && <Preview desktop={desktop} />}
              </div>
            </li>
          ))}
        </ul>
      )}
      {device.isOnline && data && data.length > mostDesktops && (
        <p className="muted">{t.control.manyDesktops(mostDesktops, data.length)}</p>
      )}
    </Section>
  )
}
