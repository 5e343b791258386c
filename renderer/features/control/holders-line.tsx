import { Button } from '@mantine/core'
import { controlRequest } from '../../../shared/remote-control/values.ts'
import { visibleName } from '../../text/visible-name.ts'
import * as t from '../../texts.ts'
import type { ControlSession } from './control-session.ts'
import { canAct, type SharingViewer } from './holders.ts'
import { PanelPart } from './panel-parts.tsx'
import classes from './room.module.css'

interface HoldersProps {
  session: ControlSession | undefined
  viewers: readonly SharingViewer[]
}

const texts = t.control.holders
/** For requests that concern no other viewer. */
const nobody = 0

/** Line over the picture: who holds control while this page watches, and who asks this page for it. */
export function HoldersLine({ session, viewers }: HoldersProps) {
  const you = viewers.find(({ isYou }) => isYou)
  if (!you) {
    return null
  }
  if (!canAct(viewers)) {
    const names = viewers.filter(({ holds }) => holds).map(({ name }) => visibleName(name))
    return (
      <div className={classes.line} role="status">
        <span>{texts.watching(names)}</span>
        <span className={classes.lineActions}>
          <Button
            size="compact-sm"
            disabled={you.isAsking}
            onClick={() => session?.requestControl(controlRequest.Ask, nobody)}
          >
            {you.isAsking ? texts.asked : texts.ask}
          </Button>
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => session?.requestControl(controlRequest.Take, nobody)}
          >
            {texts.take}
          </Button>
        </span>
      </div>
    )
  }
  return viewers
    .filter(({ isAsking, isYou }) => isAsking && !isYou && you.holds)
    .map(({ id, name }) => (
      <div key={id} className={classes.line} role="alert">
        <span>{texts.asks(visibleName(name))}</span>
        <span className={classes.lineActions}>
          <Button size="compact-sm" onClick={() => session?.requestControl(controlRequest.Give, id)}>
            {texts.give}
          </Button>
          <Button size="compact-sm" variant="default" onClick={() => session?.requestControl(controlRequest.Share, id)}>
            {texts.share}
          </Button>
          <Button
            size="compact-sm"
            variant="subtle"
            onClick={() => session?.requestControl(controlRequest.Decline, id)}
          >
            {texts.decline}
          </Button>
        </span>
      </div>
    ))
}

/** Part of a panel: hands control to another viewer, or gives it up. */
export function HoldersPart({ session, viewers }: HoldersProps) {
  const you = viewers.find(({ isYou }) => isYou)
  return (
    you !== undefined &&
    viewers.some(({ isYou }) => !isYou) && (
      <PanelPart title={texts.title}>
        {viewers
          .filter(({ isYou }) => !isYou)
          .map(({ id, name, holds }) => (
            <div key={id} className={classes.viewer}>
              <span className="truncate" title={visibleName(name)}>
                {visibleName(name)}
                {holds && <span className="muted"> ({texts.inControl})</span>}
              </span>
              {you.holds && (
                <span className={classes.lineActions}>
                  <Button
                    size="compact-xs"
                    variant="default"
                    onClick={() => session?.requestControl(controlRequest.Give, id)}
                  >
                    {texts.give}
                  </Button>
                  {!holds && (
                    <Button
                      size="compact-xs"
                      variant="default"
                      onClick={() => session?.requestControl(controlRequest.Share, id)}
                    >
                      {texts.share}
                    </Button>
                  )}
                </span>
              )}
            </div>
          ))}
        {you.holds ? (
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => session?.requestControl(controlRequest.Watch, nobody)}
          >
            {texts.watch}
          </Button>
        ) : (
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => session?.requestControl(controlRequest.Take, nobody)}
          >
            {texts.take}
          </Button>
        )}
      </PanelPart>
    )
  )
}
