import { NumberInput, Slider, Switch } from '@mantine/core'
import { imageFormat, type ImageFormat } from '../../../shared/remote-control/values.ts'
import * as t from '../../texts.ts'
import { PanelChoice, PanelPart, settingSwitch, type PanelSettings } from './panel-parts.tsx'

const formats: { value: ImageFormat; label: string }[] = [
  { value: imageFormat.Jpeg, label: 'JPEG' },
  { value: imageFormat.WebP, label: 'WebP' },
  { value: imageFormat.Png, label: 'PNG' },
]

/** Panel for image quality and bandwidth. */
export function QualityPanel(shared: PanelSettings) {
  const { settings, onChange } = shared
  return (
    <>
      <Switch
        label={t.control.automatic}
        description={t.control.automaticHint}
        {...settingSwitch(shared, 'isAutomatic')}
      />
      {!settings.isAutomatic && (
        <PanelPart title={t.common.quality}>
          <Slider
            min={5}
            max={100}
            step={5}
            defaultValue={settings.quality}
            thumbLabel={t.common.quality}
            onChangeEnd={(quality) => onChange({ quality })}
          />
        </PanelPart>
      )}
      <Switch label={t.control.limit} {...settingSwitch(shared, 'isLimited')} />
      {settings.isLimited && (
        <NumberInput
          label={t.control.limitLabel}
          min={0.2}
          max={1000}
          step={1}
          defaultValue={settings.limitMbps}
          onBlur={({ currentTarget }) => {
            const limitMbps = Number(currentTarget.value)
            if (limitMbps > 0) {
              onChange({ limitMbps })
            }
          }}
        />
      )}
      <PanelChoice
        title={t.control.format}
        choices={formats}
        value={settings.format}
        onChange={(format) => onChange({ format })}
      />
    </>
  )
}
