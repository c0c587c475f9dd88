const RANGE = { from: "2026-11-01T00:00:00+01:00", to: "2026-12-01T00:00:00+01:00" };

export const ANALYTICS_ROW = {
  start: "2026-11-01T00:00:00+01:00",
  country: "DE",
  clicks: 12,
  visitors: 9,
};

export const ANALYTICS_META = {
  time_zone: "Europe/Berlin",
  ...RANGE,
  unattributed: { clicks: 0, visitors: 0 },
  fresh_until: "2026-11-20T08:00:00.000Z",
};

const counts = { views: 4, clicks: 2, scans: 0, submissions: 0 };

export const REALTIME = {
  data: {
    last_5_minutes: counts,
    last_30_minutes: { ...counts, views: 31 },
    minutes: [{ ...counts, start: "2026-11-20T08:00:00.000Z" }],
  },
  meta: { fresh_until: "2026-11-20T08:00:12.000Z" },
};
