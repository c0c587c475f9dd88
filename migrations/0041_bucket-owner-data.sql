-- The id by which this deployment marks its bucket: see file-bucket.ts.
INSERT INTO `file_bucket_owner` (`id`, `owner`) VALUES (1, lower(hex(randomblob(16))));
