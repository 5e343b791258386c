import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { clampSettings, Quality, type FrameDelay, type LinkUse } from '../../../../agent/desktop/session/quality.ts'
import { anyTraffic, defaultCaptureSettings as standard } from '../../../../shared/remote-control/viewer.ts'

describe('clampSettings', () => {
  test('returns valid settings unchanged', () => {
    expect(clampSettings(standard)).toEqual(standard)
  })

  test('clamps each setting to its range, and replaces invalid values by the default', () => {
    const asked = {
      ...standard,
      manualQuality: 1e9,
      autoQualityMinimum: 0,
      autoQualityMaximum: 1,
      autoQualityLowerThresholdMbps: -7,
      autoQualityUpperThresholdMbps: Number.NaN,
    }
    expect(clampSettings(asked)).toMatchObject({
      manualQuality: 100,
      autoQualityMinimum: 20,
      autoQualityMaximum: 80,
      autoQualityLowerThresholdMbps: 1,
      autoQualityUpperThresholdMbps: 15,
    })
    expect(clampSettings({ ...standard, autoQualityMinimum: 99, autoQualityMaximum: 30 })).toMatchObject({
      autoQualityMinimum: 99,
      autoQualityMaximum: 100,
    })
  })

  test('returns only settings that an encoder supports', () => {
    const settings = fc.record({
      manualQuality: fc.integer(),
      autoQualityLowerThresholdMbps: fc.double(),
      autoQualityMaximum: fc.integer(),
      autoQualityMinimum: fc.integer(),
      autoQualityUpperThresholdMbps: fc.double(),
      maxBandwidthMbps: fc.double(),
      isAutoQualityEnabled: fc.boolean(),
    })
    fc.assert(
      fc.property(
        settings,
        fc.double({ min: 0, noNaN: true }),
        fc.double({ min: 0, noNaN: true }),
        (asked, mbps, ms) => {
          const quality = new Quality()
          quality.apply({ ...standard, ...asked })
          quality.update(mbps, ms)
          for (const value of [quality.current, quality.sharp]) {
            expect(Number.isInteger(value) && value >= 1 && value <= 100).toBe(true)
          }
          expect(quality.settings.maxBandwidthMbps).toBeGreaterThan(0)
        },
      ),
    )
  })
})

describe('automatic quality', () => {
  const automatic = () => {
    const quality = new Quality()
    quality.apply({ ...standard, isAutoQualityEnabled: true })
    return quality
  }

  test.each([
    [0, 80],
    [5, 80],
    [10, 50],
    [15, 20],
    [500, 20],
  ])('at %s Mbit/s is %s', (mbps, expected) => {
    const quality = automatic()
    quality.update(mbps, undefined)
    expect(quality.current).toBe(expected)
  })

  test('falls while acks are late, and rises again when they are not; latency alone has no effect', () => {
    const quality = automatic()
    const repeat = (latencyMs: number, times: number) => {
      for (let count = 0; count < times; count++) {
        quality.update(1, latencyMs)
      }
      return quality.current
    }
    expect(repeat(200, 20)).toBe(80)
    expect(repeat(900, 20)).toBe(20)
    expect(repeat(200, 40)).toBe(80)
  })

  const fast = { totalMs: 2, linkMs: 0 }
  const slow = { totalMs: 20, linkMs: 5 }
  const slowLink = { totalMs: 60, linkMs: 50 }

  test('of our page follows the link and the viewer, whatever the traffic', () => {
    const quality = new Quality()
    quality.apply({ ...standard, ...anyTraffic, isAutoQualityEnabled: true })
    const repeat = (mbps: number, latencyMs: number, delay: FrameDelay) => {
      for (let count = 0; count < 40; count++) {
        quality.update(mbps, latencyMs, delay)
      }
      return quality.current
    }
    expect(repeat(300, 20, fast)).toBe(80)
    expect(repeat(300, 20, slow)).toBe(40)
    expect(repeat(20, 20, slowLink)).toBe(20)
    expect(repeat(5, 900, slow)).toBe(20)
    expect(repeat(300, 20, slow)).toBeLessThanOrEqual(40)
    expect(repeat(300, 20, fast)).toBe(80)
    expect([quality.isLight(4), quality.isLight(50)]).toEqual([true, false])
    quality.apply({ ...standard, ...anyTraffic, isAutoQualityEnabled: true, autoQualityMinimum: 60 })
    expect(repeat(300, 20, slow)).toBe(60)
  })

  describe('of our page, after the link was full', () => {
    const roomy = { frameMs: 30, windowShare: 0.5, linkShare: 0.5 }
    const afterFullLink = () => {
      const quality = new Quality()
      quality.apply({ ...standard, ...anyTraffic, isAutoQualityEnabled: true })
      for (let count = 0; count < 40; count++) {
        quality.update(20, 20, slowLink)
      }
      expect(quality.current).toBe(20)
      return (delay: FrameDelay, use: LinkUse, times = 80) => {
        for (let count = 0; count < times; count++) {
          quality.update(12, 20, delay, use)
        }
        return quality.current
      }
    }

    test('rises to 40 if frames are slow, but leave a part of the link and of the window free', () => {
      const repeat = afterFullLink()
      expect(repeat(slow, { ...roomy, linkShare: 0.8 })).toBe(20)
      expect(repeat(slow, { ...roomy, windowShare: 0.9 })).toBe(20)
      expect(repeat(slow, { ...roomy, frameMs: 60 })).toBe(20)
      expect(repeat(slow, roomy, 5)).toBe(25)
      expect(repeat(slow, roomy)).toBe(40)
    })

    test('stays where it is while fast frames do not show what moving areas would cost the link', () => {
      const repeat = afterFullLink()
      expect(repeat(fast, { ...roomy, frameMs: 110 })).toBe(20)
      expect(repeat(fast, roomy)).toBe(80)
    })
  })

  test('manual quality does not depend on the bandwidth', () => {
    const quality = new Quality()
    quality.update(1000, 5000)
    expect(quality.current).toBe(75)
  })
})
